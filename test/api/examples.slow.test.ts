import { describe, expect, inject, it } from 'vitest';
import recorded from '#src/api/examples/recorded.json';
import {
  documentedInputs,
  getMediaType,
  isText,
  prepare,
  record,
  shownBy,
} from '#test/suites/documented-examples.ts';
import { expectSuccess, send } from '#test/suites/operation-calls.ts';
import { readEvents } from '#test/support/example-events.ts';
import { shapeDifferences } from '#test/support/example-values.ts';
import { describedOperations, MOUNTS } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

const RECORDED = '../../src/api/examples/recorded.json';
const isRecording = inject('recordExamples');
const mounts = await Promise.all(MOUNTS.map((mount) => describedOperations(mount)));
const operations = mounts.flat();
const [rootOperations = []] = mounts;
const shownAtRoot = new Map(rootOperations.map((each) => [each.operationId, JSON.stringify(shownBy(each))]));

stubFetch();

if (isRecording) {
  const lines = new Map<string, string>();
  const first = operations.filter(
    ({ operationId }, at) => operations.findIndex((each) => each.operationId === operationId) === at,
  );
  it.each(first.map((operation) => [operation.operationId, operation] as const))(
    'records %s',
    async (id, operation) => {
      lines.set(id, `  ${JSON.stringify(id)}: ${JSON.stringify(await record(operation))}`);
    },
  );
  it('writes the examples to the file', async () => {
    await expect(`{\n${[...lines.values()].join(',\n')}\n}\n`).toMatchFileSnapshot(RECORDED);
  });
} else {
  it('examples cover the path parameters, the body and the answer of every operation', () => {
    const bare = operations.filter((operation) => {
      const { params, body, answer } = shownBy(operation);
      const asked = (operation.parameters ?? []).filter(({ in: place }) => place === 'path');
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))![1];
      const needsAnswer = Object.keys(success.content ?? {}).some(isText);
      return (
        asked.some(({ name }) => params[name] === undefined) ||
        (operation.requestBody?.required && body === undefined) ||
        (needsAnswer && answer === undefined)
      );
    });
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('examples exist only for known operations', () => {
    const ids = new Set(operations.map(({ operationId }) => operationId));
    expect(Object.keys(recorded).filter((id) => !ids.has(id))).toEqual([]);
  });

  // Operations of another mount are sent only if their example differs from the one at the root.
  const sent = operations.filter(
    (operation) =>
      rootOperations.includes(operation) ||
      shownAtRoot.get(operation.operationId) !== JSON.stringify(shownBy(operation)),
  );

  describe.each(sent.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    (_, operation) => {
      it('answers its documented request as documented', async () => {
        const { inputs, key } = await prepare(operation);
        const request = documentedInputs(operation, inputs);
        const answer = await send(operation, request, operation.security?.length === 0 ? null : key);
        expectSuccess(answer);
        const { type = '', answer: shown } = shownBy(operation);
        if (shown === undefined) return;
        expect(getMediaType(answer.headers)).toBe(type);
        if (type === 'text/event-stream') {
          expect(shapeDifferences(readEvents(String(shown)), readEvents(String(answer.body)))).toEqual([]);
        } else {
          expect(shapeDifferences(shown, answer.body)).toEqual([]);
        }
      });
    },
  );
}
