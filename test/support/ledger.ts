import { readRange } from '#src/documents/page-store.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { parseForJob } from '#src/services/jobs/pages.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { upload } from './client.ts';
import { contextWithModel, heldByNobody } from './page-model.ts';

const buildLedgerPage = (n: number) => ({
  content: text(72, 700, `Ledger ${n}`, 20) + text(72, 660, `The ferry carried ${n} crates of tin.`),
});
/** Returns the correct model answer for the page in the question. */
export const saying = ({ fenced: [own = ''] }: { fenced: string[] }) => {
  const n = /Ledger (\d+)/.exec(own)?.[1];
  return `# Ledger ${n}\n\nThe ferry carried **${n}** crates of tin.`;
};

/** Uploads a ledger with unique bytes, so that no cached parse result exists. */
export async function uploadLedger(pages: number): Promise<string> {
  const bytes = buildPdf({
    pages: Array.from({ length: pages }, (_, n) => buildLedgerPage(n + 1)),
    info: { Title: crypto.randomUUID() },
  });
  return upload('ledger.pdf', bytes);
}

export async function parseWith(fileId: string, parameters: ParseParameters, ctx = contextWithModel()) {
  const { key, pageCount } = await parseForJob(
    ctx,
    fileId,
    parseParameters.parse(parameters),
    heldByNobody(),
  );
  return { key, pageCount, pages: (await readRange(ctx.bucket, key, 0))!, ctx };
}
