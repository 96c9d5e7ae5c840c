import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { corpusInput, resolveCorpus } from '#src/api/mcp/corpus.ts';
import { passageBody } from '#src/api/mcp/passages.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { citation as citationBody } from '#src/api/v1/files/page.schemas.ts';
import type { ChatAnswer } from '#src/chat/job.ts';
import { answerOnce } from '#src/chat/sessions/stateless.ts';
import { presetRetrievalParameters, retrievalRequest } from '#src/retrieval-contract/parameters.ts';

const source = passageBody
  .pick({ node_id: true, pipeline_id: true, document_id: true, file_id: true, file_name: true, text: true })
  .extend({
    citation: z.number().int().min(1).describe('Number by which the answer cites the source.'),
    page: citationBody.shape.page.nullable(),
    cited: z
      .boolean()
      .describe('Whether the answer cites the source. Other sources were found but not cited.'),
    text_cut: passageBody.shape.text_cut,
  });

export const ask = tool({
  name: 'ask',
  title: 'Ask documents',
  description:
    'Answers a question from the documents of a pipeline or retriever with citations. Marks such as [1] in the answer are ' +
    'the numbers of sources, which have a file and a page. The answer says so if nothing answers the question. Nothing is ' +
    'remembered between calls, so ask complete questions. To get only the passages, use search.',
  input: corpusInput.extend({
    question: retrievalRequest.shape.query,
    filters: presetRetrievalParameters.shape.search_filters,
  }),
  output: z.object({
    answer: z.string(),
    complete: z.boolean().describe('False if the language model stopped before the end of the answer.'),
    model: z.string().describe('Model that answered. `builtin…` quotes passages without a language model.'),
    sources: z.array(source),
    trace_id: z
      .string()
      .optional()
      .describe('Id of the recorded trace of the answer. Absent if none is recorded.'),
  }),
  needs: 'retrieve',
  annotations: READS,
  async handle({ ctx, input, signal, requestId, fence }) {
    const parameters = input.filters ? { search_filters: input.filters } : {};
    const said = await answerOnce(ctx, await resolveCorpus(ctx, input), input.question, parameters, {
      requestId,
      signal,
    });
    const budget = new Budget();
    const { text: answer } = budget.take(said.text);
    const sources = presentSources(said, budget);
    const model = String(said.metadata.model ?? '');
    const cited = sources.filter((each) => each.cited);
    const listed = cited.map(
      ({ citation, file_name, file_id, document_id, page }) =>
        `[${citation}] ${JSON.stringify(file_name)}${page === null ? '' : `, page ${page}`}, ${file_id ? `file_id ${file_id}` : `document_id ${document_id}`}`,
    );
    const text = `Answered by ${model} from the documents:\n${fence(answer)}\n\nSources that it cites:\n${
      listed.length > 0 ? fence(listed.join('\n')) : 'none'
    }`;
    const { trace_id } = said.metadata as { trace_id?: string };
    const complete = said.status === 'complete';
    return { data: { answer, complete, model, sources, ...(trace_id && { trace_id }) }, text };
  },
});

/**
 * Lists the sources of an answer, cited ones first. The limited space for document text is used for them
 * before others.
 */
function presentSources({ sources, citations }: ChatAnswer, budget: Budget): z.input<typeof source>[] {
  const cited = new Set(citations.map(({ citation }) => citation));
  const isCited = (each: ChatAnswer['sources'][number]) => cited.has(each.providerMetadata.sluice.citation);
  const ordered = [...sources.filter(isCited), ...sources.filter((each) => !isCited(each))];
  return ordered.map((each) => {
    const { citation, node_id, pipeline_id, document_id, file_id, start_page_index, ...rest } =
      each.providerMetadata.sluice;
    const { text, isCut } = budget.take(rest.text);
    return {
      ...{ citation, node_id, pipeline_id, document_id, file_id },
      file_name: each.filename,
      page: start_page_index === null ? null : start_page_index + 1,
      cited: isCited(each),
      text,
      text_cut: isCut || rest.text_cut === true,
    };
  });
}
