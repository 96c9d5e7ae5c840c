import { DurableObject } from 'cloudflare:workers';
import { markOperation, type SupervisedBindings } from '#src/lib/schema/operation-marks.ts';
import { continuedFrom, type Trace, withinTrace } from '#src/lib/trace.ts';
import { ObjectAlarm } from './object-alarm.ts';

/** An alarm that comes later than this after a call is not taken for what the call led to. */
const LED_TO_MS = 60_000;

type Method = (...args: unknown[]) => unknown;

/** An object whose methods go on in the trace of whoever calls them through `names.ts`. */
export abstract class TracedObject<Env = Cloudflare.Env> extends DurableObject<Env> {
  /** The object's one alarm. */
  protected readonly objectAlarm = new ObjectAlarm(this.ctx.storage);
  #last: { trace: Trace; at: number } | undefined;

  /** Calls a method of the object within a trace. */
  async as(traceparent: string, name: string, args: unknown[]): Promise<unknown> {
    const trace = continuedFrom(traceparent);
    this.#last = { trace, at: Date.now() };
    const method: unknown = Reflect.get(this, name);
    if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`);
    await this.objectAlarm.recover();
    return withinTrace(trace, () => Reflect.apply(method as Method, this, args));
  }

  /** Goes on in the trace of the last call, where that was not long ago. */
  override alarm(): Promise<void> {
    const { trace, at } = this.#last ?? {};
    const isRecent = at !== undefined && Date.now() - at < LED_TO_MS;
    return withinTrace(trace && isRecent ? trace : continuedFrom(undefined), () =>
      markOperation(
        this.env as SupervisedBindings,
        () => `alarm of ${this.constructor.name} ${this.ctx.id}`,
        () => this.woken(),
      ),
    );
  }

  /** What the object does at its alarm. */
  protected async woken(): Promise<void> {}
}
