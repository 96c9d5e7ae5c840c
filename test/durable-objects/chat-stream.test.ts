import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { newId } from '#src/lib/ids.ts';
import { createObjects } from '#src/work/objects.ts';

it('an answer that is stopped before it begins ends immediately with an abort event', async () => {
  const owner = createObjects(env as never).chatStream(newId());
  await owner.stop();
  const order = {
    ...{ corpus: { pipelineId: newId() }, projectId: newId(), streamId: newId() },
    ...{ messageId: newId(), requestId: 'r', excludedKeys: [], isResumable: false },
    kept: { sessionId: newId(), questionId: newId(), endsSession: false },
    request: { messages: [{ role: 'user', content: 'How high?' }] },
  };
  const said = await new Response(await owner.begin(order, 'ui')).text();
  expect(said).toBe('data: {"type":"abort","reason":"The answer was stopped."}\n\ndata: [DONE]\n\n');
});
