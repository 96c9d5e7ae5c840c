import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';

const watched = new WeakSet<Settings>();

/**
 * Starts the retention schedule once per isolate, so that a new variable or a restored database takes effect.
 * Does nothing if no data can expire.
 */
export function watchRetention(ctx: Context): void {
  const { settings } = ctx;
  if (watched.has(settings)) return;
  watched.add(settings);
  const watching = ctx.objects.retentionClock().watch('sometime');
  ctx.defer(
    watching.catch((error: unknown) => {
      watched.delete(settings);
      ctx.log.warn('nothing expires for now', { error: messageOf(error) });
    }),
  );
}
