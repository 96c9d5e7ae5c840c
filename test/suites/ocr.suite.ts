import { describe, expect, it } from 'vitest';
import { Upstream } from '#src/lib/errors.ts';
import type { OcrCapabilities } from '#src/models/ocr/definition.ts';
import { type Ocr, type Picture, Unreadable } from '#src/ports/ocr.ts';

export interface OcrFixture {
  name: string;
  capabilities: OcrCapabilities;
  open(): Ocr;
  /** Opens the engine in a temporarily broken state. */
  openBroken(): Ocr;
  /** Opens an engine that never answers. Omit if its timeout is not configurable. */
  openHanging?(): Ocr;
  page(): Promise<Picture>;
  /** Texts of the page, in reading order. */
  says: string[];
  empty(): Promise<Picture>;
  /** Languages of the page, and a language without model, if there is one. */
  languages: { read: string[]; unread?: string };
}

/** Bytes that no engine accepts as a picture. */
const NO_PICTURE = new TextEncoder().encode('This is no picture, whatever its type says.');

/** Tests that every OCR engine must pass. */
export function ocrSuite({ name, capabilities, open, languages, ...fixture }: OcrFixture): void {
  describe(`${name} OCR`, () => {
    it('reads a page in reading order', async () => {
      const { text, format } = await open().recognise(await fixture.page(), []);
      const places = fixture.says.map((each) => text.indexOf(each));
      expect(Math.min(...places), text).toBeGreaterThanOrEqual(0);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(['plain', 'markdown']).toContain(format);
    });

    it('returns words within the picture and confidences between 0 and 1', async () => {
      const picture = await fixture.page();
      const { words, confidence } = await open().recognise(picture, []);
      expect(words.length > 0).toBe(capabilities.returnsPositions);
      for (const { text, box, confidence = 1 } of words) {
        expect(text.trim()).not.toBe('');
        expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
        expect(Math.min(box.w, box.h)).toBeGreaterThan(0);
        expect(box.x + box.w).toBeLessThanOrEqual(picture.width);
        expect(box.y + box.h).toBeLessThanOrEqual(picture.height);
        expect(confidence >= 0 && confidence <= 1).toBe(true);
      }
      expect(confidence === undefined || (confidence >= 0 && confidence <= 1)).toBe(true);
    });

    it('finds nothing on an empty page', async () => {
      expect(await open().recognise(await fixture.empty(), [])).toMatchObject({ text: '', words: [] });
    });

    it('reads the given languages', async () => {
      const { text } = await open().recognise(await fixture.page(), languages.read);
      expect(text).toContain(fixture.says[0]);
    });

    const { unread } = languages;
    if (unread) {
      it('throws Unreadable for an unknown language', async () => {
        const reading = open().recognise(await fixture.page(), [unread]);
        await expect(reading).rejects.toBeInstanceOf(Unreadable);
      });
    }

    it('throws Unreadable for an invalid picture and reads the next one', async () => {
      const ocr = open();
      const picture = { bytes: NO_PICTURE, mimeType: 'image/png', width: 10, height: 10 };
      await expect(ocr.recognise(picture, [])).rejects.toBeInstanceOf(Unreadable);
      expect((await ocr.recognise(await fixture.page(), [])).text).toContain(fixture.says[0]);
    });

    it('distinguishes a broken engine from an unreadable picture', async () => {
      const error = await catchFailure(fixture.openBroken(), await fixture.page());
      expect(error).toBeInstanceOf(Upstream);
      expect(error).toMatchObject({ retryable: true });
    });

    const { openHanging } = fixture;
    if (openHanging) {
      it('times out if the engine hangs', async () => {
        const error = await catchFailure(openHanging(), await fixture.page());
        expect(error).toMatchObject({ code: 'upstream', retryable: true });
      });
    }

    it('always has the same id', () => {
      expect(open().id).not.toBe('');
      expect(fixture.openBroken().id).toBe(open().id);
    });
  });
}

const catchFailure = (ocr: Ocr, picture: Picture) =>
  ocr.recognise(picture, []).then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error,
  );
