import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { OleFile } from '#src/formats/shared/containers/ole.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { buildPdf, image, solidImage, text } from '#test/fixtures/pdf.ts';
import { blowfishOdt } from './fixtures/blowfish-odt.ts';
import { legacySlides } from './fixtures/legacy-slides.ts';
import { legacyWord } from './fixtures/legacy-word.ts';
import { lockWorkbook, obfuscateWorkbook } from './fixtures/locked-legacy.ts';
import { lockOdf } from './fixtures/locked-odf.ts';
import { lockAgile, lockStandard } from './fixtures/locked-office.ts';
import { odf } from './fixtures/odf.ts';
import { ole } from './fixtures/ole.ts';
import { png } from './fixtures/pictures.ts';
import { docx, paragraph, run } from './fixtures/word.ts';

const PASSWORD = 'Grüße 42!';
const WORDS = 'Only for the harbour master';

const word = async () => docx(paragraph(run(WORDS)), await png());
const open = (bytes: Uint8Array, password?: string | null) =>
  openDocument({ bytes, name: 'a', plan: resolveParsePlan({ password }) });
function workbook(lock: (plain: Uint8Array) => Uint8Array): Uint8Array {
  const book = utils.book_new();
  for (const name of ['Harbour', 'Quays']) {
    utils.book_append_sheet(
      book,
      utils.aoa_to_sheet([[`${WORDS} ${name}`], ...Array(200).fill(['x', 7])]),
      name,
    );
  }
  const file = new Uint8Array(write(book, { type: 'array', bookType: 'biff8' }));
  return ole({ Workbook: lock(new OleFile(file).stream('Workbook')!) });
}

const catchOpenFailure = (bytes: Uint8Array, password?: string | null) =>
  open(bytes, password).then(
    () => undefined,
    (error: unknown) => error,
  );

const FILES: [name: string, make: () => Promise<Uint8Array>, reason: string][] = [
  ['an Office file of 2010 and later', async () => lockAgile(await word(), PASSWORD), 'FILE_IS_PROTECTED'],
  ['an Office file of 2007', async () => lockStandard(await word(), PASSWORD), 'FILE_IS_PROTECTED'],
  [
    'an OpenDocument file',
    async () => lockOdf(odf('text', `<text:p>${WORDS}</text:p>`, await png()), PASSWORD),
    'FILE_IS_PROTECTED',
  ],
  ['an OpenDocument file of version 1.1', async () => blowfishOdt(), 'FILE_IS_PROTECTED'],
  ...(['old', 'api-40', 'api-128'] as const).flatMap((how): typeof FILES => [
    [
      `a document of Word 97 to 2003 (${how})`,
      async () => legacyWord({ body: [{ text: `${WORDS}\r` }], lock: { how, password: PASSWORD } }),
      'FILE_IS_PROTECTED',
    ],
    [
      `a workbook (${how})`,
      async () => workbook((plain) => lockWorkbook(plain, how, PASSWORD)),
      'FILE_IS_PROTECTED',
    ],
  ]),
  ...(['api-40', 'api-128'] as const).map((how): (typeof FILES)[number] => [
    `a presentation (${how})`,
    async () => legacySlides([{ title: WORDS, outline: ['a', 'b'] }], { lock: { how, password: PASSWORD } }),
    'FILE_IS_PROTECTED',
  ]),
  [
    'a PDF',
    async () => buildPdf({ pages: [{ content: text(72, 700, WORDS) }], password: PASSWORD }),
    'PDF_IS_PROTECTED',
  ],
];

describe.each(FILES)('protected %s', (_, makeFile, reason) => {
  // Locking a file takes as long as opening it, so each file is made once.
  let made: Promise<Uint8Array> | undefined;
  const make = async () => {
    made ??= makeFile();
    return (await made).slice();
  };

  it('opens with its password', async () => {
    const document = await open(await make(), PASSWORD);
    expect((await document.readPage(0)).text).toContain(WORDS);
    expect(document.unlocked).toBe(true);
    document.close();
  });

  it('rejects a wrong password without revealing it', async () => {
    const error = await catchOpenFailure(await make(), 'Wr0ngGuess');
    expect(error).toMatchObject({ reason, message: expect.stringMatching(/password does not open/) });
    expect(String(error)).not.toContain('Wr0ngGuess');
  });

  it.each([undefined, null, ''])(
    'rejects a missing password (%j) and explains how to provide one',
    async (none) => {
      expect(await catchOpenFailure(await make(), none)).toMatchObject({
        reason,
        message: expect.stringContaining('parse parameter `password`'),
      });
    },
  );
});

describe('encrypted workbooks', () => {
  it.each(['harbour', 'Harbour1', 'fifteen letters'])(
    'open with the password %j if obfuscated',
    async (password) => {
      const bytes = workbook((plain) => obfuscateWorkbook(plain, password));
      expect((await (await open(bytes, password)).readPage(1)).text).toContain(`${WORDS} Quays`);
      expect(await catchOpenFailure(bytes, 'harbouR')).toMatchObject({ reason: 'FILE_IS_PROTECTED' });
    },
  );

  it('open without password if only protected against changes', async () => {
    const bytes = workbook((plain) => lockWorkbook(plain, 'api-128', 'VelvetSweatshop'));
    const document = await open(bytes);
    expect((await document.readPage(0)).text).toContain(`${WORDS} Harbour`);
    expect(document.unlocked).toBeUndefined();
  });
});

describe('file opened with a password', () => {
  it('is read normally if no password is needed', async () => {
    const document = await open(await word(), PASSWORD);
    expect((await document.readPage(0)).text).toContain(WORDS);
    expect(document.unlocked).not.toBe(true);
    const free = await open(buildPdf({ pages: [{ content: text(72, 700, WORDS) }], password: '' }), PASSWORD);
    expect((await free.readPage(0)).text).toBe(WORDS);
    expect(free.unlocked).not.toBe(true);
    free.close();
  });

  it('is read completely if longer than one segment', async () => {
    const long = Array.from({ length: 2000 }, (_, at) => paragraph(run(`Line ${at * 7919}`))).join('');
    const document = await open(lockAgile(docx(long, await png()), PASSWORD), PASSWORD);
    expect((await document.readPage(0)).text).toContain(`Line ${1999 * 7919}`);
  });

  it('can be drawn and its figures read', async () => {
    const bytes = buildPdf({
      pages: [{ content: image(0, 100, 300, 400, 300), images: [solidImage(90, 60, [10, 140, 220])] }],
      password: PASSWORD,
    });
    const document = await open(bytes, PASSWORD);
    const { figures } = await document.readPage(0);
    expect(figures).toHaveLength(1);
    expect(await document.readFigure(0, figures[0]!.name)).toMatchObject({ width: 90, height: 60 });
    expect((await document.renderPage!(0, { dpi: 72 })).width).toBe(612);
    document.close();
  });
});

describe('hostile protected file', () => {
  it.each([10_000_000, 4_000_000_000, -1, 1.5])(
    'with %d key derivation rounds is rejected',
    async (rounds) => {
      const bytes = lockAgile(await word(), PASSWORD, { claimedRounds: rounds });
      expect(await catchOpenFailure(bytes, PASSWORD)).toMatchObject({
        reason: 'FILE_IS_PROTECTED',
        message: expect.stringMatching(/rounds/),
      });
    },
  );

  it('in OpenDocument format is rejected before key derivation takes minutes', async () => {
    const hostile = lockOdf(odf('text', `<text:p>${WORDS}</text:p>`), PASSWORD, 2, 2_000_000_000);
    expect(await catchOpenFailure(hostile, PASSWORD)).toMatchObject({ reason: 'FILE_IS_PROTECTED' });
  });
});

describe('hash of a configuration with a password', () => {
  it('depends on the password, and an empty password has no effect', async () => {
    const hashes = await Promise.all(
      [{}, { password: '' }, { password: null }, { password: 'a' }, { password: 'b' }].map(parsingConfigHash),
    );
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).toBe(hashes[0]);
    expect(new Set(hashes).size).toBe(3);
  });
});
