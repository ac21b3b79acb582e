#!/usr/bin/env node
import { sleep } from "./sleep.js";

export const LIMIT = 3, FLOOR = 0;
let counter = 0;
var legacy = "x";
export const { low, high: top, mid = 5, ...others } = bounds();
const [head, tail] = pair;

export function ring(times: string): void;
export function ring(times: number): void;
export function ring(times: any) {
  const sound = `dring ${times}`;
  const once = () => sound;
  function twice() {
    return once() + once();
  }
  return twice();
}

export const wait = async (seconds: number): Promise<void> => {
  await sleep(seconds);
};

function* ticks() {
  yield 1;
}

export const handlers = {
  open() {
    return 1;
  },
  close: () => 2,
  nested: { deep: function () {} },
  flag: true,
} satisfies Handlers;

@sealed()
export class Clock<T> extends Base {
  static readonly zone: string = "UTC";
  @inject() private bell: Bell;
  tick = () => this.#advance();

  constructor(private at: T) {
    super();
  }

  get hour(): number {
    return this.at;
  }

  set hour(value: number) {
    this.at = value;
  }

  @logged("turn")
  turn(by: number) {
    return { helper() {} };
  }

  #advance() {}
}

export abstract class Shape {
  abstract area(): number;
}

export interface Bell {
  ring(): void;
}

type Hour = 1 | 2;
const enum Mode { On, Off }

namespace Time.Zones {
  export const utc = 0;
  export function offset() {}
}

declare function native(x: number): string;

export default { mounted() {} };
