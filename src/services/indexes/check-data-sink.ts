import type { z } from 'zod';
import type { Context } from '#src/context.ts';
import { DomainError } from '#src/errors.ts';
import { parseComponent } from '#src/lib/component.ts';
import type { newDataSink } from '#src/services/connections/data-sinks.ts';
import type { ConnectionCheck } from '#src/services/connections/validate-integrations.ts';
import managed from '#src/sinks/managed/managed.ts';
import { patiently } from '#src/sinks/patient.ts';
import { sinkComponents, sinkDriver } from '#src/sinks/registry.ts';
import { sinkDeps } from './open-sink.ts';

type Checked = Pick<z.infer<typeof newDataSink>, 'sink_type' | 'component'>;

/**
 * Asks the store whether it can be used with these settings; null asks the managed index. A malformed component is
 * `Invalid`; a store that refuses or does not answer says why.
 */
export async function checkDataSink(ctx: Context, input: Checked | null): Promise<ConnectionCheck> {
  const type = input?.sink_type ?? managed.kind;
  const component = input ? parseComponent(sinkComponents, type, input.component).component : {};
  const deps = sinkDeps(ctx);
  try {
    const check = input
      ? sinkDriver(type, component).check(component, deps)
      : managed.check(managed.settings.parse({}), { ...deps, objects: ctx.objects });
    await patiently(type, check, ctx.settings.SILENCE_SECONDS);
    return { success: true, message: `The store (${type}) answers and takes these settings.` };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { success: false, message: error.message };
  }
}
