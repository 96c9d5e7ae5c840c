import { DurableObject } from 'cloudflare:workers';
import { markOperation, type SupervisedBindings } from '#src/lib/schema/operation-marks.ts';
import { continueTrace, runInTrace, type Trace } from '#src/lib/trace.ts';
import { ObjectAlarm } from './object-alarm.ts';

/** Maximum time in milliseconds between a call and an alarm that is attributed to the call's trace. */
const MAX_TRACE_AGE_MS = 60_000;

type Method = (...args: unknown[]) => unknown;

/** Durable Object whose methods continue the trace of their caller. Callers use the proxy in `names.ts`. */
export abstract class TracedObject<Env = Cloudflare.Env> extends DurableObject<Env> {
  protected readonly objectAlarm = new ObjectAlarm(this.ctx.storage);
  #lastCall: { trace: Trace; at: number } | undefined;

  /** Calls the method `name` within the caller's trace. The proxy in `names.ts` uses this method. */
  async as(traceparent: string, name: string, args: unknown[]): Promise<unknown> {
    const trace = continueTrace(traceparent);
    this.#lastCall = { trace, at: Date.now() };
    const method: unknown = Reflect.get(this, name);
    if (typeof method !== 'function') throw new TypeError(`There is no method ${name}.`);
    await this.objectAlarm.recover();
    return runInTrace(trace, () => Reflect.apply(method as Method, this, args));
  }

  /**
   * Runs the alarm within the trace of the last call, if that call was recent, and otherwise within a new
   * trace.
   */
  override alarm(): Promise<void> {
    const { trace, at } = this.#lastCall ?? {};
    const isRecent = at !== undefined && Date.now() - at < MAX_TRACE_AGE_MS;
    return runInTrace(trace && isRecent ? trace : continueTrace(undefined), () =>
      markOperation(
        this.env as SupervisedBindings,
        () => `alarm of ${this.constructor.name} ${this.ctx.id}`,
        () => this.onAlarm(),
      ),
    );
  }

  /** Runs when the alarm of the Durable Object fires. Subclasses override this method. */
  protected async onAlarm(): Promise<void> {}
}
