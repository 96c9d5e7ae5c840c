/**
 * Measures the cost of large files: the memory of the runtime by the units that the limits count, and a PDF
 * of many pages in the whole service. Run: npm run bench:parse-limits [-- <pages>]
 */
import { strToU8, zipSync } from 'fflate';
import { buildPdf, paragraph } from '#test/fixtures/pdf.ts';
import { Service, sleep } from '#test/process/service.ts';
import { startWorker } from './parsing/client.ts';
import { readPeak, resetPeak, runtimePids } from './parsing/memory.ts';

const COLUMNS = 10;
const pages = Number(process.argv[2] ?? 2_000);

/** Kinds of files, each with the counts of its limited unit that are tried. */
const KINDS: Record<string, { counts: number[]; write(count: number): Uint8Array<ArrayBuffer> }> = {
  xlsx: { counts: [1_000, 25_000, 50_000, 100_000, 200_000], write: buildWorkbook },
  'formulas.xlsx': { counts: [1_000, 25_000, 50_000, 100_000], write: buildFormulas },
  csv: {
    counts: [1_000, 25_000, 50_000, 100_000, 200_000],
    write: (cells) => strToU8(buildRow().repeat(cells / COLUMNS)),
  },
  docx: { counts: [25_000, 50_000, 75_000, 100_000], write: buildLetter },
  html: {
    counts: [50_000, 100_000, 200_000],
    write: (count) => strToU8(`<body>${'<p>x</p>'.repeat(count)}`),
  },
  xml: {
    counts: [50_000, 100_000, 200_000],
    write: (count) => strToU8(`<a>${'<b>x</b>'.repeat(count)}</a>`),
  },
  json: {
    counts: [50_000, 100_000, 200_000],
    write: (count) => {
      const fields = Array.from({ length: count - 1 }, (_, at) => [
        `key number ${at}`,
        `value of the key ${at}`,
      ]);
      return strToU8(JSON.stringify(Object.fromEntries(fields)));
    },
  },
};

/**
 * Builds a workbook of formulas without stored results. Each formula is a different sum of the previous cell
 * and a product.
 */
function buildFormulas(cells: number): Uint8Array<ArrayBuffer> {
  return buildWorkbook(cells, (row, column) =>
    column === 0
      ? `<c><f>ROW()*${row + 1}</f></c>`
      : `<c><f>${String.fromCharCode(64 + column)}${row + 1}+${row}*${column}</f></c>`,
  );
}

const buildRow = () => `${Array.from({ length: COLUMNS }, (_, column) => `item ${column}`).join(',')}\n`;

/** Builds a text document with paragraphs of one letter. */
function buildLetter(paragraphs: number): Uint8Array<ArrayBuffer> {
  const body = '<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(paragraphs);
  const parts = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
  };
  const entries = Object.entries(parts).map(([name, text]) => [name, strToU8(text)]);
  return new Uint8Array(zipSync(Object.fromEntries(entries)));
}

const textCell = (row: number, column: number) =>
  `<c t="inlineStr"><is><t>item ${row} ${column}</t></is></c>`;

function buildWorkbook(cells: number, cell = textCell): Uint8Array<ArrayBuffer> {
  const rows = Array.from({ length: cells / COLUMNS }, (_, row) => {
    const line = Array.from({ length: COLUMNS }, (_, column) => cell(row, column));
    return `<row>${line.join('')}</row>`;
  });
  const parts = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="s1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="s1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`,
  };
  const entries = Object.entries(parts).map(([name, text]) => [name, strToU8(text)]);
  return new Uint8Array(zipSync(Object.fromEntries(entries)));
}

const table: Record<string, unknown>[] = [];
for (const [kind, { counts, write }] of Object.entries(KINDS)) {
  for (const count of counts) {
    // Each file is parsed in a new runtime, so that the memory left by one file does not affect the next.
    const { base, stop } = await startWorker('wrangler.toml');
    const post = (body: Uint8Array<ArrayBuffer>, name: string) =>
      fetch(new URL(`/?quiet&name=${name}`, base), { method: 'POST', body });
    await (await post(strToU8('warm'), 'a.txt')).text();
    const pids = runtimePids();
    const idle = readPeak(pids);
    for (const pid of pids) resetPeak(pid);
    const bytes = write(count);
    const start = performance.now();
    const answer = await post(bytes, `a.${kind}`);
    const text = await answer.text();
    table.push({
      file: `${kind} of ${count}`,
      KiB: Math.round(bytes.length / 1024),
      seconds: ((performance.now() - start) / 1000).toFixed(1),
      'MiB above idle': Math.round(readPeak(pids) - idle),
      answer: answer.ok ? 'read' : text.slice(0, 60),
    });
    await stop();
  }
}
console.table(table);

const service = new Service();
await service.start();
try {
  const bytes = buildPdf({
    pages: Array.from({ length: pages }, (_, index) => ({
      content: paragraph(72, 700, [`Sheet ${index} carries the token qz${index}qz among other words.`]),
    })),
  });
  const file = await service.upload('long.pdf', new Uint8Array(bytes));
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/pipelines', { name: 'long' });
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id: file }]);
  const start = performance.now();
  await service.call('POST', `/api/v1/pipelines/${id}/sync`);
  let state: { status: string; progress?: { counters: Record<string, number> } } = { status: '' };
  while (!/SUCCESS|ERROR/.test(state.status) && performance.now() - start < 300_000) {
    await sleep(250);
    state = await service.call('GET', `/api/v1/pipelines/${id}/status?full_details=true`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `PDF of ${pages} pages, ${Math.round(bytes.length / 1024)} KiB: ${state.status} in ${seconds} s`,
  );
  console.log(state.progress?.counters);
} finally {
  await service.end();
}
process.exit(0);
