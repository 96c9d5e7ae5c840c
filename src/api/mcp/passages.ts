import { z } from 'zod';
import { citation } from '#src/api/v1/files/page.schemas.ts';
import type { FoundChunk } from '#src/chat/job.ts';
import type { Budget } from './budget.ts';
import type { Fence } from './fence.ts';

export const passageBody = z.object({
  node_id: z.string(),
  pipeline_id: z.uuid(),
  document_id: z.string(),
  file_id: z
    .uuid()
    .nullable()
    .describe('Id of the file for read_pages. Null for a text document, which has no file.'),
  file_name: z.string(),
  page: citation.shape.page
    .nullable()
    .describe('Page on which the passage begins, counted from 1. Null if the document has no pages.'),
  last_page: citation.shape.page.nullable(),
  link: z.string().nullable().describe('URL at which people open the document.'),
  score: z.number().nullable(),
  text: z.string(),
  text_cut: z.boolean().describe('Whether the text was cut. Call read_pages to read the rest.'),
});

type Passage = z.input<typeof passageBody>;

export function presentPassage({ chunk, score, fileId, pipelineId }: FoundChunk, budget: Budget): Passage {
  const { text, isCut } = budget.take(chunk.text);
  const { startPage, endPage = startPage } = chunk;
  const link = chunk.metadata.web_url;
  return {
    node_id: chunk.id,
    pipeline_id: pipelineId,
    document_id: chunk.documentId,
    file_id: fileId,
    file_name: chunk.title,
    page: startPage === undefined ? null : startPage + 1,
    last_page: endPage === undefined ? null : endPage + 1,
    link: typeof link === 'string' ? link : null,
    score,
    text,
    text_cut: isCut,
  };
}

export function formatPassage(passage: Passage, number: number, fence: Fence): string {
  const { node_id, file_id, page, score, file_name, link, text, text_cut } = passage;
  const facts = [
    `[${number}]`,
    file_id ? `file_id ${file_id}` : `document_id ${passage.document_id}`,
    ...(page === null ? [] : [`page ${page}`]),
    ...(score === null ? [] : [`score ${score.toFixed(3)}`]),
    `node ${node_id}`,
  ];
  const quoted = [file_name, ...(link === null ? [] : [link]), '', text].join('\n');
  return `${facts.join(', ')}\n${fence(quoted)}${text_cut ? '\n(cut: read on with read_pages)' : ''}`;
}
