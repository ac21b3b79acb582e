#include <string>

namespace app::time {

template <typename T>
class Clock : public Base {
 public:
  Clock();
  ~Clock();
  int hour = 0;
  static int zone();
  void turn(int by) const { auto local = [](int x) { int y = x; return y; }; }
};

}  // namespace app::time

void app::time::Clock::reset(int x) {}

template <class T>
T twice(T value) {
  return value + value;
}

using Hour = int;
constexpr int LIMIT = 3;
enum class Mode { On };
bool operator==(Mode a, Mode b) { return true; }
