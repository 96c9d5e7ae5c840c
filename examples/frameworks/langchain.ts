import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { extract, indexFile, openAiOptions, retrieve, uploadFile } from './sluice.ts';

class SluiceRetriever extends BaseRetriever {
  lc_namespace = ['sluice'];
  readonly #pipelineId: string;

  constructor(pipelineId: string) {
    super();
    this.#pipelineId = pipelineId;
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const passages = await retrieve(this.#pipelineId, query);
    return passages.map(
      ({ score, node }) =>
        new Document({ id: node.id_, pageContent: node.text, metadata: { ...node.extra_info, score } }),
    );
  }
}

const text = `# The lighthouse

The lighthouse on Gull Rock was built in 1887 and is 42 metres high. Its keeper is Matilda Oyelaran, who has lit the
lamp since 2009.
`;
const file = await uploadFile(new File([text], 'harbour-manual.md'));
const pipeline = await indexFile(file, 'harbour');

// Retriever for chains and agents of LangChain.
export const retriever = new SluiceRetriever(pipeline.id);
const [best] = await retriever.invoke('Who keeps the lighthouse?');
console.log('Found in:', best?.metadata.file_name);

// Chat: the service retrieves passages and answers with citations.
const { baseURL, apiKey } = openAiOptions;
const model = new ChatOpenAI({ model: pipeline.name, apiKey, configuration: { baseURL } });
let answer = '';
for await (const chunk of await model.stream('How high is the lighthouse?')) answer += chunk.text;
console.log('Answer:', answer);

// Structured output: values from the passages. A value that they do not have is null.
const schema = z.object({
  year_built: z.number().nullable().describe('Year in which the lighthouse was built'),
  keeper: z.string().nullable().describe('Name of the keeper of the lighthouse'),
});
const extractor = model.withStructuredOutput(schema, { method: 'jsonSchema' });
const values = await extractor.invoke('When was the lighthouse built, and who keeps it?');
console.log('Object:', JSON.stringify(values));

// Extract job: values from the whole file, without a question.
console.log('Extracted:', JSON.stringify(await extract(file, z.toJSONSchema(schema))));
