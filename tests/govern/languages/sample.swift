import Foundation

let limit = 3
typealias Hour = Int

@objc class Clock: Base {
    var zone: String { "UTC" }
    let hour = 1

    init() {}

    func turn(by: Int) -> String {
        let local = "by \(by)"
        return local
    }
}

struct Hand {
    static let length = 1
}

protocol Bell {
    func ring()
}

extension Clock {
    func reset() {}
}

enum Mode {
    case on, off
}

func helper() {}
