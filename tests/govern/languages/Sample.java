package time;

import java.util.List;

@Entity("clock")
public class Clock<T> extends Base {
    private static final int LIMIT = 3;
    int hour, minute;

    Clock() {}

    @Override
    public void turn(int by) {
        String local = "x";
    }

    void turn(String by) {}

    enum Mode { ON, OFF }
}

interface Bell {
    void ring();
}

record Hour(int value) {}

@interface Marker {
    int value();
}
