import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { openDocument } from '#src/formats/registry.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { readImageHeader } from '#src/images/header.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { runs } from '#test/support/seed.ts';

export interface Holdings {
  headings?: number;
  tables?: number;
  lists?: number;
  links?: number;
  figures?: number;
  /** Page labels, if they are not 1, 2, 3. */
  labels?: string[];
  /** Metadata that the file declares or that its text reveals. */
  metadata?: ('title' | 'author' | 'language')[];
  /** Whether pages of the format can be rendered. */
  renders?: boolean;
}

export interface ParserFixture {
  kind: FileKind;
  /** File name. The default is empty, so that the format is detected by content. */
  name?: string;
  bytes: () => Uint8Array | Promise<Uint8Array>;
  parameters?: ParseParameters;
  /** Expected Markdown of every page. Omit if the general checks suffice. */
  markdown?: string[];
  /** Whether the format has a signature, so that garbage after the signature is rejected. */
  hasSignature?: boolean;
  /** Exact counts of the elements in the file. */
  holds: Holdings;
}

/** Number of mutated files for every format. */
const MUTATIONS = 60;

export async function readAll(document: OpenDocument): Promise<Page[]> {
  const pages: Page[] = [];
  for (let index = 0; index < document.pageCount; index++) pages.push(await document.readPage(index));
  return pages;
}

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();

function mutate(bytes: Uint8Array, edits: readonly (readonly [number, number])[], keep: number): Uint8Array {
  const mutated = bytes.slice(0, Math.ceil(bytes.length * keep));
  for (const [at, value] of edits) if (mutated.length > 0) mutated[at % mutated.length] = value;
  return mutated;
}

/** Tests that every document driver must pass, with a document that contains every element of its format. */
export function parserSuite(fixture: ParserFixture): void {
  const { kind, parameters = {} } = fixture;
  const open = async (bytes?: Uint8Array) =>
    openDocument({
      bytes: bytes ?? (await fixture.bytes()),
      name: fixture.name ?? 'upload',
      plan: resolveParsePlan(parameters),
    });

  describe(`${kind} parser`, () => {
    it('is detected by content', async () => {
      const document = await open();
      expect(document.kind).toBe(kind);
      document.close();
    });

    if (fixture.markdown) {
      it('returns the expected Markdown', async () => {
        const document = await open();
        expect((await readAll(document)).map((page) => page.markdown)).toEqual(fixture.markdown);
        document.close();
      });
    }

    it('returns consistent pages', async () => {
      const document = await open();
      expect(document.pageCount).toBeGreaterThan(0);
      for (const [index, page] of (await readAll(document)).entries()) {
        expect(page.index).toBe(index);
        expect(page.label).not.toBe('');
        expect(page.width).toBeGreaterThan(0);
        expect(page.height).toBeGreaterThan(0);
        for (const block of page.blocks) {
          expect(squeeze(page.text)).toContain(squeeze(block.text));
          expect(squeeze(page.markdown)).toContain(squeeze(block.markdown));
          if (block.type === 'heading') expect(block.level).toBeGreaterThanOrEqual(1);
        }
        if (page.text.trim() === '') {
          expect(page.needsOcr || page.blocks.every((block) => block.text === '')).toBe(true);
        }
      }
      document.close();
    });

    it('finds exactly the elements of the file', async () => {
      const document = await open();
      const pages = await readAll(document);
      const blocks = pages.flatMap((page) => page.blocks);
      const countBlocks = (type: string) => blocks.filter((block) => block.type === type).length;
      const stated = ['title', 'author', 'language'] as const;
      const found: Required<Holdings> = {
        headings: countBlocks('heading'),
        tables: countBlocks('table'),
        lists: countBlocks('list'),
        links: pages.flatMap((page) => page.links).length,
        figures: pages.flatMap((page) => page.figures).length,
        labels: pages.map((page) => page.label),
        metadata: stated.filter((key) => document.metadata[key] !== undefined),
        renders: document.renderPage !== undefined,
      };
      const numbers = pages.map((_, index) => String(index + 1));
      expect(found).toEqual({
        headings: 0,
        tables: 0,
        lists: 0,
        links: 0,
        figures: 0,
        labels: numbers,
        metadata: [],
        renders: false,
        ...fixture.holds,
      });
      for (const page of pages) for (const link of page.links) expect(link.url).not.toBe('');
      document.close();
    });

    it('returns the bytes of every figure', async () => {
      const document = await open();
      for (const page of await readAll(document)) {
        for (const figure of page.figures) {
          expect(figure.pageIndex).toBe(page.index);
          const image = await document.readFigure(page.index, figure.name);
          expect(image?.bytes.length).toBe(figure.byteSize);
          const { width, height, mimeType } = figure;
          expect(image && readImageHeader(image.bytes)).toEqual({ width, height, mimeType });
        }
        expect(await document.readFigure(page.index, 'no-such-figure.png')).toBeUndefined();
      }
      document.close();
    });

    it('returns the same pages when read again in any order', async () => {
      const document = await open();
      const forwards = await readAll(document);
      for (let index = document.pageCount - 1; index >= 0; index--) {
        expect(await document.readPage(index)).toEqual(forwards[index]);
      }
      document.close();
    });

    it('renders pages if the format has a visual layout', async () => {
      const document = await open();
      const image = await document.renderPage?.(0, { dpi: 50 });
      expect(image !== undefined).toBe(fixture.holds.renders ?? false);
      if (image)
        expect(readImageHeader(image.bytes)).toMatchObject({ width: image.width, height: image.height });
      document.close();
    });

    if (fixture.hasSignature) {
      it('rejects garbage after its signature', async () => {
        const start = (await fixture.bytes()).slice(0, 8);
        const garbage = new Uint8Array(4096).map((_, at) => (at * 2654435761) >>> 13);
        garbage.set(start);
        await expect(open(garbage).then(readAll)).rejects.toBeInstanceOf(ParseError);
      });
    }

    it('rejects an empty file', async () => {
      await expect(open(new Uint8Array())).rejects.toMatchObject({ reason: 'NO_DATA_FOUND_IN_FILE' });
    });

    it('reads mutated files or rejects them with ParseError', async () => {
      const bytes = await fixture.bytes();
      const edit = fc.tuple(fc.nat(bytes.length), fc.integer({ min: 0, max: 255 }));
      const keep = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { maxLength: 16 }), keep, async (edits, share) => {
          try {
            const document = await open(mutate(bytes, edits, share));
            try {
              await readAll(document);
            } finally {
              document.close();
            }
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError);
          }
        }),
        { numRuns: runs(MUTATIONS) },
      );
    });
  });
}
