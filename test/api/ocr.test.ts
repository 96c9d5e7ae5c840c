import { beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, paragraph } from '#test/fixtures/pdf.ts';
import { drawn, scannedPage } from '#test/fixtures/scan.ts';
import { exif, pngWith } from '#test/formats/fixtures/pictures.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

const typed = { content: paragraph(72, 720, ['The typed page speaks of marmalade.']) };
let scan: Awaited<ReturnType<typeof drawn>>;
let scanned: Uint8Array;
let mixed: Uint8Array;

beforeAll(async () => {
  scan = await drawn(['The harbour master is called', 'Matilda Oyelaran. Her tele-', 'phone rings at dawn.']);
  scanned = buildPdf({ pages: [scannedPage(scan)] });
  mixed = buildPdf({ pages: [scannedPage(scan), typed] });
});

interface FileStatus {
  status: string;
  error: { message: string }[] | null;
}

const getFileStatus = (pipelineId: string, fileId: string) =>
  call<FileStatus>('GET', `/api/v1/pipelines/${pipelineId}/files/${fileId}/status`);
const getDetails = async (pipelineId: string) => {
  const files = await call<{ status_details?: unknown; config_hash?: unknown }[]>(
    'GET',
    `/api/v1/pipelines/${pipelineId}/files`,
  );
  return JSON.stringify(files.body);
};

describe('scanned pages with the built-in engine', () => {
  it('are found by their text, on their page', async () => {
    const id = await createPipeline();
    const [file] = await addFiles(id, { 'mixed.pdf': mixed });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
    const [best] = await retrieve(id, 'Who is the harbour master?');
    expect(best?.node.text).toContain('Matilda Oyelaran. Her telephone rings at dawn.');
    expect(best?.node.extra_info).toMatchObject({ file_id: file, start_page_index: 0 });
    expect(await getDetails(id)).not.toContain('pages_needing_ocr');
  });

  it('are read in images and in PDF files', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'photo.png': scan.bytes, 'scan.pdf': scanned });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
    const hits = await retrieve(id, 'harbour master Matilda Oyelaran');
    expect(hits.map((hit) => hit.node.extra_info.file_name).sort()).toEqual(['photo.png', 'scan.pdf']);
  });

  it('are read in the orientation of the camera', async () => {
    const { bytes } = await drawn(['The lighthouse keeper is', 'Ignatius Vandersteen.'], { rotate: 90 });
    const id = await createPipeline();
    const [file] = await addFiles(id, { 'turned.png': pngWith(exif(8), bytes) });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
    const [best] = await retrieve(id, 'Who keeps the lighthouse?');
    expect(best?.node.text).toContain('Ignatius Vandersteen');
    const pages = await call<{ image_size: number }[]>('GET', `/api/v1/files/${file}/page_screenshots`);
    expect(pages.body).toHaveLength(1);
  });

  it.each([
    [
      'German',
      ['Die Brücke über den Kanal wird für', 'Fußgänger gesperrt, weil die Träger', 'geprüft werden müssen.'],
      ['Brücke', 'über', 'für', 'Fußgänger', 'geprüft', 'müssen'],
    ],
    [
      'French',
      [
        "Le marché reste fermé jusqu'à la fin",
        "de l'été, car le théâtre voisin doit",
        'être rénové après la tempête.',
      ],
      ['marché', 'fermé', 'été', 'théâtre', 'être', 'rénové', 'après', 'tempête'],
    ],
  ])('are read in %s without naming the language', async (_, lines, words) => {
    const { bytes } = await drawn(lines);
    const id = await createPipeline();
    await addFiles(id, { 'page.png': bytes });
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
    const [best] = await retrieve(id, lines.join(' '));
    for (const word of words) expect(best?.node.text).toContain(word);
  });

  it('stay unread and are listed if OCR is disabled', async () => {
    const id = await createPipeline({ parse_parameters: { disable_ocr: true } });
    await addFiles(id, { 'mixed.pdf': mixed });
    expect((await sync(id)).status).toBe('SUCCESS');
    expect(await getDetails(id)).toContain('"pages_needing_ocr":[0]');
    const hits = await retrieve(id, 'harbour master marmalade');
    expect(hits.map((hit) => hit.node.text).join()).toContain('marmalade');
    expect(hits.map((hit) => hit.node.text).join()).not.toContain('Matilda');
  });

  it.each([
    ['OCR is turned off', { disable_ocr: true }],
    ['the engine has no model for the language', { languages: ['th'] }],
  ])('fail a file without other pages if %s', async (_, parameters) => {
    const id = await createPipeline({ parse_parameters: parameters });
    const [file] = (await addFiles(id, { 'scan.pdf': scanned })) as [string];
    expect((await sync(id)).status).toBe('ERROR');
    const { body } = await getFileStatus(id, file);
    expect(body.status).toBe('ERROR');
    expect(JSON.stringify(body.error)).toContain('NEEDS_OCR');
  });
});
