package time

import scala.math.abs

class Clock(at: Int) extends Base {
  val zone = "UTC"
  var hour = 1

  def turn(by: Int): String = {
    val local = s"by ${by}"
    local
  }
}

object Clock {
  def create = new Clock(0)
}

trait Bell {
  def ring: Int
}

case class Hour(value: Int)
type Minutes = Int
val limit = 3
def helper = 1
