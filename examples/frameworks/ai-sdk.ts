import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, Output, streamText, tool } from 'ai';
import { z } from 'zod';
import { extract, indexFile, openAiOptions, retrieve, uploadFile } from './sluice.ts';

const text = `# The lighthouse

The lighthouse on Gull Rock was built in 1887 and is 42 metres high. Its keeper is Matilda Oyelaran, who has lit the
lamp since 2009.
`;
const file = await uploadFile(new File([text], 'harbour-manual.md'));
const pipeline = await indexFile(file, 'harbour');

// Tool with which the model of any provider searches the documents.
export const searchManual = tool({
  description: 'Finds passages of the harbour manual.',
  inputSchema: z.object({ query: z.string().describe('Question or keywords') }),
  execute: async ({ query }) => {
    const passages = await retrieve(pipeline.id, query);
    return passages.map(({ node }) => ({ file: node.extra_info.file_name, text: node.text }));
  },
});

// Chat: the service retrieves passages and answers with citations.
const sluice = createOpenAICompatible({ name: 'sluice', ...openAiOptions, supportsStructuredOutputs: true });
const model = sluice(pipeline.name);
const chat = streamText({ model, prompt: 'How high is the lighthouse?' });
let answer = '';
for await (const text of chat.textStream) answer += text;
console.log('Answer:', answer);

// Structured output: values from the passages. A value that they do not have is null.
const schema = z.object({
  year_built: z.number().nullable().describe('Year in which the lighthouse was built'),
  keeper: z.string().nullable().describe('Name of the keeper of the lighthouse'),
});
const { output } = await generateText({
  model,
  prompt: 'When was the lighthouse built, and who keeps it?',
  output: Output.object({ schema }),
});
console.log('Object:', JSON.stringify(output));

// Extract job: values from the whole file, without a question.
console.log('Extracted:', JSON.stringify(await extract(file, z.toJSONSchema(schema))));
