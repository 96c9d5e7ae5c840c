import Parser, { type ParserBindings } from '#parser/worker.ts';
import { meteredBucket } from './bucket.ts';
import { type Counts, taken } from './counts.ts';

/** Runs the real parser and reports its bucket operations to the service. */
export default class MeteredParser extends Parser {
  constructor(execution: ExecutionContext, env: ParserBindings) {
    super(execution, { ...env, FILES: meteredBucket(env.FILES) });
  }

  async taken(): Promise<Counts> {
    return taken();
  }
}
