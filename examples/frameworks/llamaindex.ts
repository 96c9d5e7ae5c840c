import { BaseLLM, type ChatMessage, type ChatResponseChunk } from '@llamaindex/core/llms';
import { BaseRetriever } from '@llamaindex/core/retriever';
import { type BaseReader, Document, TextNode } from '@llamaindex/core/schema';
import OpenAI from 'openai';
import { extract, indexFile, openAiOptions, retrieve, runJob, uploadFile } from './sluice.ts';

interface Parsed {
  markdown: { pages: { page_number: number; markdown: string }[] };
}

class SluiceReader implements BaseReader {
  async loadData(file: { id: string }): Promise<Document[]> {
    const { markdown } = await runJob<Parsed>('parse', { file_id: file.id }, '?expand=markdown');
    return markdown.pages.map(
      ({ page_number, markdown }) => new Document({ text: markdown, metadata: { page_number } }),
    );
  }
}

class SluiceRetriever extends BaseRetriever {
  readonly #pipelineId: string;

  constructor(pipelineId: string) {
    super();
    this.#pipelineId = pipelineId;
  }

  override async _retrieve({ query }: { query: unknown }) {
    const passages = await retrieve(this.#pipelineId, String(query));
    return passages.map(({ score, node }) => ({
      score,
      node: new TextNode({ id_: node.id_, text: node.text, metadata: node.extra_info }),
    }));
  }
}

class SluiceChat extends BaseLLM {
  readonly metadata;
  readonly #client = new OpenAI(openAiOptions);

  constructor(model: string) {
    super();
    const unused = { temperature: 0, topP: 1, contextWindow: 200_000, tokenizer: undefined };
    this.metadata = { ...unused, model, structuredOutput: false };
  }

  async #ask(messages: ChatMessage[]) {
    const asked = messages.map(({ role, content }) => ({ role, content: String(content) }));
    const { model } = this.metadata;
    return this.#client.chat.completions.create({ model, messages: asked as never, stream: true });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the base class declares one overload for each kind of answer.
  override async chat({ messages, stream }: { messages: ChatMessage[]; stream?: boolean }): Promise<any> {
    const chunks = await this.#ask(messages);
    async function* read(): AsyncGenerator<ChatResponseChunk> {
      for await (const chunk of chunks) yield { delta: chunk.choices[0]?.delta.content ?? '', raw: chunk };
    }
    if (stream) return read();
    let content = '';
    for await (const { delta } of read()) content += delta;
    return { message: { role: 'assistant', content }, raw: null };
  }
}

const text = `# The lighthouse

The lighthouse on Gull Rock was built in 1887 and is 42 metres high. Its keeper is Matilda Oyelaran, who has lit the
lamp since 2009.
`;
const file = await uploadFile(new File([text], 'harbour-manual.md'));

// Loader: the pages of a file as documents, for an index of your own.
export const documents = await new SluiceReader().loadData(file);
console.log('Loaded:', documents.length, 'page');

// Retriever for query engines and chat engines of LlamaIndex.
const pipeline = await indexFile(file, 'harbour');
export const retriever = new SluiceRetriever(pipeline.id);
const [best] = await retriever.retrieve('Who keeps the lighthouse?');
console.log('Found in:', best?.node.metadata.file_name);

// Chat: the service retrieves passages and answers with citations.
const model = new SluiceChat(pipeline.name);
const question = { role: 'user' as const, content: 'How high is the lighthouse?' };
let answer = '';
for await (const { delta } of await model.chat({ messages: [question], stream: true })) answer += delta;
console.log('Answer:', answer);

// Extract job: values from the whole file, in the form of a JSON Schema.
const year = { type: 'integer', description: 'Year in which the lighthouse was built' };
const keeper = { type: 'string', description: 'Name of the keeper of the lighthouse' };
const schema = { type: 'object', properties: { year_built: year, keeper } };
console.log('Extracted:', JSON.stringify(await extract(file, schema)));
