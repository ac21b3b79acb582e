package time

import kotlin.math.abs

const val LIMIT = 3
typealias Hour = Int

@Serializable
class Clock(val at: Int) : Base() {
    val zone = "UTC $at"

    fun turn(by: Int): Int {
        val local = 1
        fun inner() = local
        return inner()
    }

    companion object {
        fun create() = Clock(0)
    }
}

object Registry {
    var size = 0
}

interface Bell {
    fun ring()
}

enum class Mode { ON, OFF }

fun String.shout() = uppercase()
