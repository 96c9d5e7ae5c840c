/**
 * How long retrieval in one project takes while another project's documents are parsed: a PDF of 500 pages, a PDF
 * made to exhaust a reader, and a hundred office files; beside idle. Run: npm run bench:isolation
 */
import { strToU8, zipSync } from 'fflate';
import { hugeBitonalImage } from '#test/fixtures/huge-image.ts';
import { buildPdf, image, paragraph } from '#test/fixtures/pdf.ts';
import { Service, sleep } from '#test/process/service.ts';

/** Queries follow each other as fast as they are answered, for at least so long, and while the work lasts. */
const LEAST_MS = 4_000;
const MOST_MS = 30_000;

const service = new Service();
await service.start();
const rows: Record<string, unknown>[] = [];
try {
  const asked = await pipelineOf(await projectOf('asked'), { 'notes.md': notes() });
  await waitForEnd(asked);
  const loud = await projectOf('loud');
  await measure('idle', asked);
  await measure('a PDF of 500 pages', asked, await pipelineOf(loud, { 'long.pdf': long(500) }));
  await measure('a hostile PDF', asked, await pipelineOf(loud, { 'hostile.pdf': await hostile() }));
  await measure('100 office files', asked, await pipelineOf(loud, office(100)));
} finally {
  await service.end();
}
console.table(rows);
console.log(
  'Milliseconds. The local runtime runs all Workers on one thread: a query waits for the stretch of work before it.\n' +
    'Deployed, the parser has isolates of its own.',
);
process.exit(0);

async function projectOf(name: string): Promise<string> {
  return (
    await service.call<{ id: string }>('POST', '/api/v1/projects', { name: `${name} ${crypto.randomUUID()}` })
  ).id;
}

/** A pipeline over these files whose sync has just begun. */
async function pipelineOf(
  project: string,
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const ids: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const form = new FormData();
    form.append('upload_file', new File([content], name));
    ids.push((await service.call<{ id: string }>('POST', `/api/v1/files?project_id=${project}`, form)).id);
  }
  const { id } = await service.call<{ id: string }>('POST', `/api/v1/pipelines?project_id=${project}`, {
    name: crypto.randomUUID(),
  });
  await service.call(
    'PUT',
    `/api/v1/pipelines/${id}/files`,
    ids.map((file_id) => ({ file_id })),
  );
  await service.call('POST', `/api/v1/pipelines/${id}/sync`);
  return id;
}

async function stateOf(pipeline: string): Promise<string> {
  return (await service.call<{ status: string }>('GET', `/api/v1/pipelines/${pipeline}/status`)).status;
}

async function waitForEnd(pipeline: string): Promise<void> {
  while (!/SUCCESS|ERROR/.test(await stateOf(pipeline))) await sleep(100);
}

async function measure(load: string, asked: string, working?: string): Promise<void> {
  const times: number[] = [];
  const start = performance.now();
  let state = working ? 'IN_PROGRESS' : 'idle';
  let seconds = 0;
  for (;;) {
    const elapsed = performance.now() - start;
    const isOver = /SUCCESS|ERROR|idle/.test(state);
    if (isOver && seconds === 0) seconds = elapsed / 1000;
    if (elapsed > MOST_MS || (isOver && (working || elapsed > LEAST_MS))) break;
    const before = performance.now();
    await service.call('POST', `/api/v1/pipelines/${asked}/retrieve`, { query: 'Who keeps the lighthouse?' });
    times.push(performance.now() - before);
    if (working && times.length % 5 === 0) state = await stateOf(working);
  }
  times.sort((a, b) => a - b);
  const quantile = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? Number.NaN);
  rows.push({
    load,
    queries: times.length,
    p50: quantile(0.5),
    p95: quantile(0.95),
    worst: quantile(1),
    'load took, s': working ? seconds.toFixed(1) : '',
    end: state,
  });
}

function notes(): string {
  const lines = Array.from(
    { length: 400 },
    (_, at) => `Note ${at}: the lighthouse of bay ${at % 37} is kept by keeper ${at}.`,
  );
  return `# Lighthouses\n\n${lines.join('\n\n')}\n`;
}

function long(pages: number): Uint8Array<ArrayBuffer> {
  const lines = (page: number) =>
    Array.from(
      { length: 45 },
      (_, at) => `Line ${at} of sheet ${page} speaks of ballast, tides and harbour dues again.`,
    );
  return new Uint8Array(
    buildPdf({
      pages: Array.from({ length: pages }, (_, page) => ({ content: paragraph(72, 720, lines(page)) })),
    }),
  );
}

/** Eight pages that each show a picture of 900 million pixels. */
async function hostile(): Promise<Uint8Array<ArrayBuffer>> {
  const picture = await hugeBitonalImage(30_000);
  return new Uint8Array(
    buildPdf({ pages: Array(8).fill({ content: image(0, 72, 100, 400, 400), images: [picture] }) }),
  );
}

function office(count: number): Record<string, Uint8Array<ArrayBuffer>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`letter-${at}.docx`, letter(at)]));
}

function letter(number: number): Uint8Array<ArrayBuffer> {
  const text = (at: number) =>
    `<w:p><w:r><w:t>Paragraph ${at} of letter ${number} is about dues.</w:t></w:r></w:p>`;
  const body = Array.from({ length: 300 }, (_, at) => text(at)).join('');
  const parts = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
  };
  return new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}
