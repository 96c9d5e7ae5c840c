import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';

const started = new WeakSet<Settings>();

/**
 * Starts the retention schedule once per isolate, so that new settings and a restored database take effect.
 */
export function startRetentionSchedule(ctx: Context): void {
  const { settings } = ctx;
  if (started.has(settings)) return;
  started.add(settings);
  const watching = ctx.objects.retentionClock().watch('sometime');
  ctx.defer(
    watching.catch((error: unknown) => {
      started.delete(settings);
      ctx.log.warn('starting the retention schedule failed', { error: getErrorMessage(error) });
    }),
  );
}
