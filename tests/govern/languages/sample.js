const fs = require("fs");

module.exports.read = function (path) {
  return fs.readFileSync(path);
};

exports.LIMIT = 3;

function Clock() {}
Clock.prototype.turn = function () {};
Clock.create = () => new Clock();

class Hand {
  static length = 1;
  #secret = 2;
  move = () => {};
  static async *steps() {}
}

const Wheel = class {
  spin() {}
};

const api = {
  get: async () => 1,
  "save-all": () => 2,
};

describe("a clock", () => {
  const local = 1;
  const build = () => new Clock();
});

module.exports = { Clock };
