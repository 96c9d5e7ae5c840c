import { describe, expect, it } from 'vitest';
import { Upstream } from '#src/lib/errors.ts';
import type { OcrCapabilities } from '#src/models/ocr/definition.ts';
import { type Ocr, type Picture, Unreadable } from '#src/ports/ocr.ts';

export interface OcrFixture {
  name: string;
  capabilities: OcrCapabilities;
  open(): Ocr;
  /** The same engine, out of order in a way that may pass. */
  openBroken(): Ocr;
  /** The same engine, when it does not answer at all; absent where its patience is not a setting. */
  openHanging?(): Ocr;
  page(): Promise<Picture>;
  /** What the page says, in this order. */
  says: string[];
  empty(): Promise<Picture>;
  /** Codes that the engine reads the page with, and one that it has no model for, if there is such a thing. */
  languages: { read: string[]; unread?: string };
}

/** Every engine takes this for no picture. */
const NO_PICTURE = new TextEncoder().encode('This is no picture, whatever its type says.');

/** What every OCR engine promises. */
export function ocrSuite({ name, capabilities, open, languages, ...fixture }: OcrFixture): void {
  describe(`${name} OCR`, () => {
    it('reads what a page says, in reading order', async () => {
      const { text, format } = await open().recognise(await fixture.page(), []);
      const places = fixture.says.map((each) => text.indexOf(each));
      expect(Math.min(...places), text).toBeGreaterThanOrEqual(0);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(['plain', 'markdown']).toContain(format);
    });

    it('keeps words in the picture and confidences between 0 and 1', async () => {
      const picture = await fixture.page();
      const { words, confidence } = await open().recognise(picture, []);
      expect(words.length > 0).toBe(capabilities.tellsPositions);
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

    it('reads in the languages that it is told', async () => {
      const { text } = await open().recognise(await fixture.page(), languages.read);
      expect(text).toContain(fixture.says[0]);
    });

    const { unread } = languages;
    if (unread) {
      it('leaves a page unread whose language it does not know', async () => {
        const reading = open().recognise(await fixture.page(), [unread]);
        await expect(reading).rejects.toBeInstanceOf(Unreadable);
      });
    }

    it('leaves unread what is no picture, and reads the next one', async () => {
      const ocr = open();
      const picture = { bytes: NO_PICTURE, mimeType: 'image/png', width: 10, height: 10 };
      await expect(ocr.recognise(picture, [])).rejects.toBeInstanceOf(Unreadable);
      expect((await ocr.recognise(await fixture.page(), [])).text).toContain(fixture.says[0]);
    });

    it('tells an engine that is out of order from a picture that cannot be read', async () => {
      const error = await failureOf(fixture.openBroken(), await fixture.page());
      expect(error).toBeInstanceOf(Upstream);
      expect(error).toMatchObject({ retryable: true });
    });

    const { openHanging } = fixture;
    if (openHanging) {
      it('gives up an engine that hangs', async () => {
        const error = await failureOf(openHanging(), await fixture.page());
        expect(error).toMatchObject({ code: 'upstream', retryable: true });
      });
    }

    it('has one name, whatever happens to it', () => {
      expect(open().id).not.toBe('');
      expect(fixture.openBroken().id).toBe(open().id);
    });
  });
}

const failureOf = (ocr: Ocr, picture: Picture) =>
  ocr.recognise(picture, []).then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error,
  );
