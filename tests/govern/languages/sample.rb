require "time"

module Watch
  LIMIT = 3

  class Clock < Base
    attr_reader :hour

    def turn(by)
      local = "by #{by}"
      local
    end

    def self.create
      new
    end

    def ring? = true
  end
end

def helper; end
