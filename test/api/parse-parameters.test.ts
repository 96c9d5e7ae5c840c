import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { readImageHeader } from '#src/images/header.ts';
import { buildPdf, image, paragraph, solidImage, text } from '#test/fixtures/pdf.ts';
import { call, fetchService } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

const WORDS = ['avocado', 'broccoli', 'celery', 'daikon'];
let made = 0;

/**
 * Builds a PDF with four pages, a running header and footer, and a picture on the second page. Each call
 * returns different bytes.
 */
function pdf(): Uint8Array {
  const stamp = `serial ${crypto.randomUUID()} ${made++}`;
  const colour = [(made * 37) % 256, 90, 140] as [number, number, number];
  const pages = WORDS.map((word, index) => {
    const body = paragraph(72, 600, [`This page is about ${word}.`, `It says nothing else than ${word}.`]);
    const frame = text(72, 770, 'QUARTERLY REPORT', 9) + text(72, 20, `Confidential ${stamp}`, 8);
    return {
      content: frame + body + (index === 1 ? image(0, 100, 250, 220, 180) : ''),
      ...(index === 1 && { images: [solidImage(110, 90, colour)] }),
    };
  });
  return buildPdf({ pages });
}

async function parsed(
  parameters: Record<string, unknown>,
  bytes = pdf(),
): Promise<{ id: string; texts: string }> {
  const id = await createPipeline({
    parse_parameters: parameters,
    transform_config: {
      mode: 'advanced',
      segmentation_config: { mode: 'none' },
      chunking_config: { mode: 'none' },
    },
  });
  await addFiles(id, { 'report.pdf': bytes });
  expect((await sync(id)).status).toBe('SUCCESS');
  const nodes = await retrieve(id, 'page about avocado broccoli celery daikon', { enable_reranking: false });
  return { id, texts: nodes.map(({ node }) => node.text).join('\n') };
}

async function pictures(id: string, kind: 'screenshots' | 'figures'): Promise<number> {
  const row = await env.DB.prepare(
    'select f.content_hash as hash from files f join pipeline_members p on p.file_id = f.id where p.pipeline_id = ?',
  )
    .bind(id)
    .first<{ hash: string }>();
  const { objects } = await env.FILES.list({ prefix: 'projects/' });
  return objects.filter(({ key }) => key.includes(`/parsed/${row!.hash}/${kind}/`)).length;
}

const wordsIn = (texts: string) => WORDS.filter((word) => texts.includes(word));

describe('parse parameters of a pipeline', () => {
  it('select the pages', async () => {
    expect(wordsIn((await parsed({})).texts)).toEqual(WORDS);
    expect(wordsIn((await parsed({ target_pages: '2,4' })).texts)).toEqual(['broccoli', 'daikon']);
    expect(wordsIn((await parsed({ max_pages: 1 })).texts)).toEqual(['avocado']);
    expect(wordsIn((await parsed({ max_pages: 0 })).texts)).toEqual(WORDS);
  });

  it('reject documents with more pages than max_pages_enforced', async () => {
    const id = await createPipeline({ parse_parameters: { max_pages_enforced: 3, max_pages: 1 } });
    await addFiles(id, { 'report.pdf': pdf() });
    const { status, error } = await sync(id);
    expect(status).toBe('ERROR');
    expect(error?.map(({ message }) => message)).toEqual([
      'TOO_MANY_PAGES: The document has 4 pages, but max_pages_enforced allows 3.',
    ]);
    for (const max_pages_enforced of [4, 0]) {
      expect(wordsIn((await parsed({ max_pages_enforced })).texts)).toEqual(WORDS);
    }
  });

  it('end a parse after the timeout, which can grow with the pages', async () => {
    const hasty = { job_timeout_in_seconds: 0.0001 };
    const id = await createPipeline({ parse_parameters: hasty });
    await addFiles(id, { 'report.pdf': pdf() });
    const { status, error } = await sync(id);
    expect(status).toBe('ERROR');
    expect(error?.map(({ message }) => message)).toEqual([
      'TIMEOUT: The parse took longer than the 0.0001 s that job_timeout_in_seconds allows.',
    ]);
    const patient = { ...hasty, job_timeout_extra_time_per_page_in_seconds: 60 };
    expect(wordsIn((await parsed(patient)).texts)).toEqual(WORDS);
    expect(wordsIn((await parsed({ job_timeout_in_seconds: 0 })).texts)).toEqual(WORDS);
  });

  it('are reported by field if an earlier release stored a value that is invalid now', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'report.pdf': pdf() });
    await env.DB.prepare('update pipelines set parse_parameters = ? where id = ?')
      .bind(JSON.stringify({ structured_output_json_schema: '{' }), id)
      .run();
    const { status, error } = await sync(id);
    expect(status).toBe('ERROR');
    expect(error?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^parse_parameters\.structured_output_json_schema: /),
    ]);
  });

  it('add prefixes and suffixes to pages, headers and footers', async () => {
    const { texts } = await parsed({
      page_prefix: '<p{page_number}>',
      page_suffix: '</p>',
      page_separator: '\n#{page_number}#\n',
      page_header_prefix: '[[',
      page_header_suffix: ']]',
      page_footer_prefix: '(({page_number}: ',
      page_footer_suffix: '))',
    });
    for (const mark of ['<p1>', '<p4>', '</p>\n#2#\n<p2>', '[[QUARTERLY REPORT]]', '((4: Confidential'])
      expect(texts).toContain(mark);
    expect(texts).toMatch(/\(\(1: Confidential serial [^\n]*\)\)/);
    expect(texts).not.toContain('#1#');
  });

  it('remove running headers and footers', async () => {
    const { texts } = await parsed({ hide_headers: true, hide_footers: true });
    expect(wordsIn(texts)).toEqual(WORDS);
    expect(texts).not.toContain('QUARTERLY');
    expect(texts).not.toContain('Confidential');
  });

  it('omit figures from the text, or link them to the API', async () => {
    expect((await parsed({})).texts).not.toContain('page_2_figure_1');
    const { id, texts } = await parsed({ inline_images_in_markdown: true });
    const target = /!\[page_2_figure_1\.png\]\((page-figures\/[^)]+)\)/.exec(texts)![1];
    const row = await env.DB.prepare('select file_id as id from pipeline_members where pipeline_id = ?')
      .bind(id)
      .first<{ id: string }>();
    const served = await fetchService('GET', `/api/v1/files/${row!.id}/${target}`);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(readImageHeader(new Uint8Array(await served.arrayBuffer()))).toMatchObject({
      width: 110,
      height: 90,
    });
  });

  it('select the pictures that are stored while parsing', async () => {
    const usual = await parsed({});
    expect([await pictures(usual.id, 'screenshots'), await pictures(usual.id, 'figures')]).toEqual([0, 1]);
    const all = await parsed({ take_screenshot: true, save_images: false });
    expect([await pictures(all.id, 'screenshots'), await pictures(all.id, 'figures')]).toEqual([4, 0]);
    const some = await parsed({ images_to_save: ['screenshot'], target_pages: '1-2' });
    expect([await pictures(some.id, 'screenshots'), await pictures(some.id, 'figures')]).toEqual([2, 0]);
    const none = await parsed({ disable_image_extraction: true });
    expect([await pictures(none.id, 'screenshots'), await pictures(none.id, 'figures')]).toEqual([0, 0]);
  });

  it('control whether a cached parse is reused', async () => {
    const spoil = async () => {
      const { objects } = await env.FILES.list({ prefix: 'projects/' });
      const ranges = objects.filter(({ key }) => key.includes('/pages/') && !key.includes('words'));
      for (const { key } of ranges) {
        const object = (await env.FILES.get(key))!;
        const kept = (await object.text()).replaceAll('avocado', 'KEPT');
        await env.FILES.put(key, kept, { customMetadata: object.customMetadata! });
      }
    };
    const bytes = pdf();
    await parsed({ do_not_cache: false }, bytes);
    await spoil();
    expect((await parsed({ do_not_cache: false }, bytes)).texts).toContain('KEPT');
    expect((await parsed({ do_not_cache: true }, bytes)).texts).not.toContain('KEPT');
    await parsed({ invalidate_cache: true }, bytes);
    await spoil();
    expect((await parsed({ invalidate_cache: true }, bytes)).texts).not.toContain('KEPT');
  });

  it.each([
    [{ target_pages: 3 }],
    [{ max_pages: 'all' }],
    [{ images_to_save: ['thumbnail'] }],
    [{ parse_mode: 'fast' }],
    [{ replace_failed_page_mode: 'skip' }],
    [{ languages: ['xx'] }],
    [{ take_screenshot: 'yes' }],
  ])('of a wrong type are rejected: %o', async (parse_parameters) => {
    const body = { name: `p ${crypto.randomUUID()}`, parse_parameters };
    expect((await call('POST', '/api/v1/pipelines', { body })).status).toBe(422);
  });
});

describe('parse parameters out of range', () => {
  const fitting = {
    auto_mode_configuration_json: '[{"parsing_conf":{}}]',
    auto_mode_trigger_on_regexp_in_page: '(?i)total|sum',
    bbox_bottom: 0.5,
    bbox_top: 0.4,
    bounding_box: '0.1, 0, 0.1, 0',
    hostedllm_endpoint: 'https://models.example',
    http_proxy: 'proxy.example:3128',
    input_url: 'https://files.example/a.pdf',
    job_timeout_in_seconds: 0.5,
    max_pages: 0,
    page_error_tolerance: 1,
    structured_output_json_schema: '{"type":"object","properties":{"a":{"type":"string"}}}',
    target_pages: '1-3, 7',
    webhook_url: 'https://hooks.example/',
  };
  const unfit: [string, unknown][] = [
    ...['{', '"text"', '7'].map((text): [string, unknown] => ['auto_mode_configuration_json', text]),
    ['auto_mode_trigger_on_regexp_in_page', '(a'],
    ['auto_mode_trigger_on_regexp_in_page', '(?=a)'],
    ...['bbox_bottom', 'bbox_left', 'bbox_right', 'bbox_top', 'page_error_tolerance'].flatMap(
      (name): [string, unknown][] => [
        [name, -0.1],
        [name, 1.1],
      ],
    ),
    ...['1', '0,0,0,2', 'a,b,c,d', '0,0,0,', '0,0,0,0,0'].map((box): [string, unknown] => [
      'bounding_box',
      box,
    ]),
    ['hostedllm_endpoint', 'no url'],
    ['http_proxy', 'no proxy'],
    ['input_url', 'ftp://files.example/a.pdf'],
    ['job_timeout_extra_time_per_page_in_seconds', -1],
    ['job_timeout_in_seconds', -1],
    ['max_pages', -1],
    ['max_pages', 1.5],
    ['max_pages_enforced', -1],
    ['structured_output_json_schema', 'type: object'],
    ['structured_output_json_schema', '{"type":"object"}'],
    ['structured_output_json_schema_name', 'letter'],
    ...['x', '0', '3-1', '1;2'].map((pages): [string, unknown] => ['target_pages', pages]),
    ['webhook_url', 'mailto:a@hooks.example'],
  ];

  it.each(unfit)('are rejected by name: %s %j', async (name, value) => {
    const file_id = '00000000-0000-4000-8000-000000000000';
    for (const [path, body, at] of [
      ['/api/v2/parse', { file_id, configuration: { [name]: value } }, ['configuration']],
      ['/api/v1/pipelines', { name: 'p', parse_parameters: { [name]: value } }, ['parse_parameters']],
      [
        '/api/v1/beta/configurations',
        { name: 'c', parameters: { product_type: 'parse_v2', [name]: value } },
        ['parameters'],
      ],
    ] as const) {
      const { status, body: refusal } = await call<{ detail: { loc: string[] }[] }>('POST', path, { body });
      expect(status).toBe(422);
      const [first] = refusal.detail;
      expect(first!.loc.filter((part) => part !== 'parse_v2')).toEqual(['body', ...at, name]);
    }
  });

  it('include opposite margins that leave nothing', async () => {
    for (const [name, parse_parameters] of [
      ['bbox_bottom', { bbox_bottom: 0.5, bbox_top: 0.5 }],
      ['bbox_left', { bbox_left: 0.8, bounding_box: '0,0.3,0,0' }],
      ['bounding_box', { bounding_box: '0.5,0,0.5,0' }],
    ] as const) {
      const answer = await call('POST', '/api/v1/pipelines', { body: { name: 'p', parse_parameters } });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain(name);
    }
  });

  it('do not include valid values, empty texts or null', async () => {
    const names = Object.entries(fitting);
    const empty = Object.fromEntries(
      names.map(([name, value]) => [name, typeof value === 'string' ? '' : null]),
    );
    for (const parse_parameters of [fitting, empty]) {
      const body = { name: crypto.randomUUID(), parse_parameters };
      expect((await call('POST', '/api/v1/pipelines', { body })).status).toBe(200);
    }
  });
});
