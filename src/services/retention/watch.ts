import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';

const watched = new WeakSet<Settings>();

/**
 * Has what expires looked after from now on. Once per isolate, so that a variable which is new, or a database which was
 * restored, is heard of; without anything that expires nothing comes of it.
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
