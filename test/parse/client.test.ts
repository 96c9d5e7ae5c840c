import { describe, expect, it } from 'vitest';
import { formatTraceparent, runInTrace } from '#src/lib/trace.ts';
import { createParser } from '#src/parse/client.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type {
  Answer,
  FileRequest,
  IsWanted,
  ParseResult,
  ParserRequest,
  ParserService,
} from '#src/parse/service.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';

const request: FileRequest = {
  ...{ projectId: 'p', contentHash: 'c', configHash: 'h', storageKey: 'k' },
  ...{ name: 'a.pdf', size: 1, parameters: {} },
};
const result: ParseResult = {
  parsed: { kind: 'pdf', pageCount: 1, metadata: {} },
  missing: [],
  cached: false,
};
const patience = { attempts: 3, pauseMs: 1, heartbeatTimeoutMs: 200 };
const checkpoint = async () => {};

type ParseFile = (asked: ParserRequest, isWanted: IsWanted) => Promise<Answer<ParseResult>>;

/** Returns a parser client with a fake binding, and the list of requests. */
function parserThat(parseFile: ParseFile, ocrId = async () => 'engine') {
  const asked: ParserRequest[] = [];
  const service: Pick<ParserService, 'parseFile' | 'parseFiles' | 'ocrId'> = {
    ocrId,
    parseFiles: () => Promise.reject(new Error('Worker exceeded memory limit.')),
    parseFile(each, isWanted) {
      asked.push(each);
      return parseFile(each, isWanted);
    },
  };
  return { asked, parser: createParser(service, patience) };
}

const dies: ParseFile = () => Promise.reject(new Error('Worker exceeded memory limit.'));

describe('parser errors', () => {
  it.each([
    [
      {
        code: 'invalid',
        message: 'PDF_IS_BROKEN: the file is cut off',
        retryable: false,
        reason: 'PDF_IS_BROKEN',
      },
      {
        name: 'ParseError',
        reason: 'PDF_IS_BROKEN',
        message: 'PDF_IS_BROKEN: the file is cut off',
        retryable: false,
      },
    ],
    [
      { code: 'upstream', message: 'The OCR endpoint failed', retryable: true, retryAfter: 7 },
      { code: 'upstream', message: 'The OCR endpoint failed', retryable: true, retryAfter: 7 },
    ],
    [
      { code: 'unavailable', message: 'the bucket is away', retryable: true },
      { code: 'unavailable', message: 'the bucket is away', retryable: true },
    ],
  ] as const)('keep their type and fields: %o', async (failure, expected) => {
    const { parser, asked } = parserThat(async () => ({ failure }));
    await expect(parser.parseFile(request, checkpoint)).rejects.toMatchObject(expected);
    expect(asked).toHaveLength(1);
  });
});

describe('crashing parser', () => {
  it('is asked again, because another file may have caused the crash', async () => {
    let deaths = 0;
    const { parser } = parserThat((...all) =>
      deaths++ < 2 ? dies(...all) : Promise.resolve({ value: result }),
    );
    expect(await parser.parseFile(request, checkpoint)).toEqual(result);
  });

  it('fails a file that crashes it three times while it is otherwise available', async () => {
    const { parser, asked } = parserThat(dies);
    await expect(parser.parseFile(request, checkpoint)).rejects.toMatchObject({
      name: 'ParseError',
      reason: 'PARSER_CRASHED',
      message: expect.stringContaining('3 times (Worker exceeded memory limit.)'),
      retryable: false,
    });
    expect(asked).toHaveLength(3);
  });

  it('does not fail the file if it is unavailable', async () => {
    const { parser } = parserThat(dies, () => Promise.reject(new Error('not deployed')));
    await expect(parser.parseFile(request, checkpoint)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
    await expect(parser.ocrId()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });
});

describe('parser that takes long', () => {
  const letPass = useFakeClock();

  it('fails the file with TIMEOUT if it stays silent for too long', async () => {
    const { parser, asked } = parserThat(() => new Promise(() => {}));
    const failed = expect(parser.parseFile(request, checkpoint)).rejects.toMatchObject({ reason: 'TIMEOUT' });
    await letPass(patience.attempts * 2 * patience.heartbeatTimeoutMs);
    await failed;
    expect(asked).toHaveLength(patience.attempts);
  });

  it('does not time out while it sends heartbeats', async () => {
    const beatMs = 0.75 * patience.heartbeatTimeoutMs;
    const { parser, asked } = parserThat(async (_, isWanted) => {
      for (let beat = 0; beat < 8; beat++) {
        await scheduler.wait(beatMs);
        await isWanted();
      }
      return { value: result };
    });
    const parsed = parser.parseFile(request, checkpoint);
    await letPass(8 * beatMs);
    expect(await parsed).toEqual(result);
    expect(asked).toHaveLength(1);
  });
});

describe('caller of the parser', () => {
  it('stops the work and gets its own reason when it cancels', async () => {
    const beats: boolean[] = [];
    const { parser, asked } = parserThat(async (_, isWanted) => {
      for (let page = 0; page < 5; page++) beats.push(await isWanted());
      return { failure: { code: 'unavailable', message: 'nobody wants it', retryable: true } };
    });
    let calls = 0;
    const checkpoints = async () => {
      calls += 1;
      if (calls === 2) throw new RangeError('cancelled');
    };
    await expect(parser.parseFile(request, checkpoints)).rejects.toThrow(new RangeError('cancelled'));
    expect(beats).toEqual([true, false, false, false, false]);
    expect([calls, asked.length]).toEqual([2, 1]);
  });

  it('sends only the plan to the parser, without parameters or secrets', async () => {
    const { parser, asked } = parserThat(async () => ({ value: result }));
    const parameters = {
      webhook_configurations: [{ webhook_url: 'https://a.test', webhook_headers: { k: 'v' } }],
      hostedllm_key: 'secret of a model',
    };
    await parser.parseFile({ ...request, parameters }, checkpoint);
    expect(asked[0]).toMatchObject({ storageKey: 'k', plan: resolveParsePlan({}) });
    expect(asked[0]).not.toHaveProperty('parameters');
    expect(JSON.stringify(asked[0])).not.toMatch(/a\.test|secret of a model/);
  });
});

describe('files parsed in one batch', () => {
  const named = (name: string): FileRequest => ({ ...request, name });
  const failure = { code: 'invalid', message: 'broken', retryable: false, reason: 'PDF_IS_BROKEN' } as const;

  it('get separate results', async () => {
    const service = { parseFiles: async () => ({ value: [{ value: result }, { failure }] }) };
    const told = await createParser(service, patience).parseFiles([named('a'), named('b')], checkpoint);
    expect(told).toEqual([
      { status: 'fulfilled', value: result },
      { status: 'rejected', reason: expect.objectContaining({ reason: 'PDF_IS_BROKEN' }) },
    ]);
  });

  it('are retried one by one after a crash, so that only one fails', async () => {
    const { parser, asked } = parserThat(async (each) => {
      if (each.name === 'b') return dies(each, async () => true);
      return { value: result };
    });
    const told = await parser.parseFiles([named('a'), named('b'), named('c')], checkpoint);
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(told[1]).toMatchObject({ reason: { reason: 'PARSER_CRASHED' } });
    expect(asked.map(({ name }) => name)).toEqual(['a', 'b', 'b', 'b', 'c']);
  });

  it('reject with the error of a checkpoint', async () => {
    const lost = new Error('lost');
    const service = {
      parseFiles: async (_: unknown, isWanted: IsWanted) => {
        await isWanted();
        return { value: [] };
      },
    };
    const parser = createParser(service, patience);
    const work = parser.parseFiles([named('a'), named('b')], () => Promise.reject(lost));
    await expect(work).rejects.toBe(lost);
  });
});

it('parser receives the trace context', async () => {
  const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', flags: '01' };
  const { parser, asked } = parserThat(async () => ({ value: result }));
  await runInTrace(trace, () => parser.parseFile(request, checkpoint));
  await parser.parseFile(request, checkpoint);
  expect(asked.map(({ traceparent }) => traceparent)).toEqual([formatTraceparent(trace), undefined]);
});
