import { ParseError } from '#src/documents/errors.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { parseJson } from '../json/index.ts';
import { writeMarkdown } from '../markdown/index.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { definedOnly } from '../shared/flow/metadata.ts';
import type { Parser } from '../shared/parser.ts';
import { asList, asObject, asText, type Cell, readCells, readLanguage } from './cells.ts';
import { writeOutput } from './outputs.ts';

/** Maximum number of characters of the pictures that are written into the Markdown of a cell. */
const MAX_EMBEDDED_CHARACTERS = 32 * 1024 * 1024;

/**
 * Replaces references to pictures that are attached to a Markdown cell by data URIs. The limit stops cells that
 * refer to a large picture many times. References beyond it stay as they are.
 */
function embedAttachments({ source, attachments }: Cell): string {
  let left = MAX_EMBEDDED_CHARACTERS;
  return source.replace(/\]\(attachment:([^()\s]{1,300})\)/g, (whole, name: string) => {
    const [entry] = Object.entries(asObject(attachments[name]));
    const data = asText(entry?.[1]);
    if (!entry || data.length > left) return whole;
    left -= data.length;
    return `](data:${entry[0]};base64,${data.replace(/\s/g, '')})`;
  });
}

/**
 * Parses a Jupyter notebook. Markdown cells are kept as Markdown, code cells become code blocks, and the outputs
 * of a code cell follow it.
 */
export const notebookParser: Parser = {
  async open({ bytes, plan, budget }) {
    const notebook = asObject(parseJson(decodeText(bytes).text));
    const cells = readCells(notebook);
    if (!cells) {
      throw new ParseError(
        'FILE_IS_BROKEN',
        'The file is named .ipynb but is not a notebook: it has no cells.',
      );
    }
    const language = readLanguage(notebook);
    const metadata = asObject(notebook.metadata);
    const flow = new Flow(plan, budget);
    let title = asText(metadata.title);
    for (const cell of cells) {
      if (cell.type === 'markdown') {
        const heading = await writeMarkdown(embedAttachments(cell), flow);
        title ||= heading ?? '';
      } else if (cell.type === 'heading') flow.heading(cell.level, [{ text: cell.source }]);
      else flow.code(cell.source, cell.type === 'code' ? language : '');
      for (const output of cell.outputs) await writeOutput(output, flow, plan);
    }
    const authors = asList(metadata.authors).map((author) => asText(asObject(author).name));
    return finishDocument(flow, definedOnly({ title, author: authors.filter(Boolean).join(', ') }));
  },
};
