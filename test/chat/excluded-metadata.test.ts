import { expect, it } from 'vitest';
import { chat } from '#src/chat/index.ts';
import { chunkSaying, jobOver, modelStreaming, whole } from '#test/support/chat-jobs.ts';

it('the prompt contains the metadata of a passage without the keys that models must not see', async () => {
  const prompts: unknown[] = [];
  const metadata = { salary: 'Pl4nted', shelf: 'by the window' };
  const chunk = chunkSaying('The old bridge was built in 1902.', { metadata });
  const model = modelStreaming(whole('In 1902 [1].'), prompts);
  const job = jobOver(chunk, { model, excludedKeys: ['salary'] });
  await Array.fromAsync(chat(job, new AbortController().signal));
  expect(prompts).toHaveLength(1);
  expect(JSON.stringify(prompts)).toContain('by the window');
  expect(JSON.stringify(prompts)).not.toContain('Pl4nted');
});
