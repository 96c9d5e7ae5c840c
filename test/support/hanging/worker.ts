import service from '#src/index.ts';
import type { Bindings } from '#src/settings/env.ts';

export * from '#src/index.ts';

/** Size of the file that hangs the thread of whoever has it parsed, in bytes. */
const HANGING_BYTES = 4_242;

/** The service with one deliberate fault: having a file of a certain size parsed never returns and never yields. */
export default {
  fetch: service.fetch,
  queue: (batch, env, execution) =>
    service.queue(batch, { ...env, PARSER: hangingParser(env.PARSER) }, execution),
} satisfies ExportedHandler<Bindings>;

function hangingParser(parser: Bindings['PARSER']): Bindings['PARSER'] {
  const parseFile: typeof parser.parseFile = (request, isWanted) => {
    if (request.size === HANGING_BYTES) for (;;);
    return parser.parseFile(request, isWanted);
  };
  return new Proxy(parser, {
    get: (target, name) => (name === 'parseFile' ? parseFile : Reflect.get(target, name)),
  });
}
