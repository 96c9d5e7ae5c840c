import { expect, it } from 'vitest';
import { parseOptions } from '#scripts/evaluate/options.ts';

it('the options of the command name a set, what is evaluated, and bounds', () => {
  const bounds = ['--at-least', 'recall@5=.85', '--at-most=latency_ms=300', '--at-least=mrr=0.5'];
  expect(parseOptions(['--set', 'a', '--retriever', 'b', ...bounds, '--parameters={"alpha":0}'])).toEqual({
    set: 'a',
    target: { kind: 'retriever', name: 'b' },
    bounds: [
      { metric: 'recall@5', kind: 'at least', value: 0.85 },
      { metric: 'mrr', kind: 'at least', value: 0.5 },
      { metric: 'latency_ms', kind: 'at most', value: 300 },
    ],
    parameters: { alpha: 0 },
    answer: false,
    project: undefined,
    timeoutMs: 3_600_000,
  });
  expect(parseOptions(['--help'])).toBeUndefined();
});

it.each([
  [[], '--set is missing'],
  [['--set', 'a'], 'either --pipeline or --retriever'],
  [['--set', 'a', '--pipeline', 'b', '--retriever', 'c'], 'either --pipeline or --retriever'],
  [['--set', 'a', '--pipeline', 'b', '--at-least', 'recall@7=.5'], "'recall@7=.5' is no bound"],
  [['--set', 'a', '--pipeline', 'b', '--at-least', 'mrr='], "'mrr=' is no bound"],
  [['--set', 'a', '--pipeline', 'b', '--parameters', '[]'], '--parameters must be a JSON object'],
  [['--set', 'a', '--pipeline', 'b', '--timeout', 'soon'], '--timeout must be'],
  [['--colour'], "Unknown option '--colour'"],
])('the options %j are refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
