/// <reference types="vite/types/importMeta.d.ts" />
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { BaseRetriever } from '@langchain/core/retrievers';
import type { BaseRetriever as LlamaIndexRetriever } from '@llamaindex/core/retriever';
import type { Document } from '@llamaindex/core/schema';
import { generateText, stepCountIs, type ToolSet } from 'ai';
import { afterEach, expect, it, vi } from 'vitest';
import { runExample } from './run-example.ts';

// Runs the programs of the pages about frameworks unmodified, without a language model.

const QUESTION = 'Who keeps the lighthouse?';
const PAGES = import.meta.glob<string>('/docs/how-to/use-with-*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

afterEach(() => vi.restoreAllMocks());

/** Returns the lines that a page says its program prints. */
function readOutput(page: string): string[] {
  const [, output = ''] = /^```text\n([\s\S]*?)\n```$/m.exec(PAGES[`/docs/how-to/use-with-${page}.md`]!)!;
  return output.split('\n');
}

/** Returns the answer of a chat completion, as another provider gives it. */
const complete = (message: object) =>
  Response.json({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'other',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
  });

it('the AI SDK prints the output on its page, and a model of another provider searches with the tool', async () => {
  const { lines, exported } = await runExample('ai-sdk');
  expect(lines).toEqual(readOutput('the-ai-sdk'));
  const requests: string[] = [];
  const call = { name: 'searchManual', arguments: JSON.stringify({ query: QUESTION }) };
  const other = createOpenAICompatible({
    name: 'other',
    baseURL: 'http://model.test',
    fetch: async (input, init) => {
      requests.push(await new Request(input, init).text());
      return requests.length === 1
        ? complete({ content: null, tool_calls: [{ id: 'call', type: 'function', function: call }] })
        : complete({ content: 'Matilda.' });
    },
  });
  const { text } = await generateText({
    model: other('other'),
    prompt: QUESTION,
    tools: exported as ToolSet,
    stopWhen: stepCountIs(2),
  });
  expect(text).toBe('Matilda.');
  expect(requests[0]).not.toContain('Oyelaran');
  expect(requests[1]).toContain('Its keeper is Matilda Oyelaran');
  expect(requests[1]).toContain('harbour-manual.md');
});

it('LlamaIndex.TS prints the output on its page, and loads and finds the text', async () => {
  const { lines, exported } = await runExample('llamaindex');
  expect(lines).toEqual(readOutput('llamaindex'));
  const [document] = exported.documents as Document[];
  expect(document!.text).toContain('Its keeper is Matilda Oyelaran');
  const [found] = await (exported.retriever as LlamaIndexRetriever).retrieve(QUESTION);
  expect(found).toMatchObject({
    score: expect.any(Number),
    node: { metadata: { file_name: 'harbour-manual.md' } },
  });
});

it('LangChain prints the output on its page, and its retriever finds scored documents', async () => {
  const { lines, exported } = await runExample('langchain');
  expect(lines).toEqual(readOutput('langchain'));
  const found = await (exported.retriever as BaseRetriever).invoke(QUESTION);
  expect(found[0]).toMatchObject({
    id: expect.any(String),
    pageContent: expect.stringContaining('Its keeper is Matilda Oyelaran'),
    metadata: { file_name: 'harbour-manual.md', score: expect.any(Number) },
  });
});
