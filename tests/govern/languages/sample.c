#include <stdio.h>
#define LIMIT 3
#define DOUBLE(x) ((x) * 2)

static int counter = 1, other;
int ring(int times);

struct clock {
    int hour;
};

typedef struct {
    int minute;
} hand_t;

enum mode { ON, OFF };

int *ring_all(int times) {
    char *local = "x";
    struct clock c;
    return 0;
}
