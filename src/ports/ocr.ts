/**
 * Encoded picture. `width` and `height` are in pixels, after `orientation` (an EXIF value from 2 to 8) has
 * been applied.
 */
export interface Picture {
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
  orientation?: number;
}

/**
 * Recognised word. Its box is in pixels from the top left corner of the picture, and its confidence ranges
 * from 0 to 1.
 */
export interface RecognisedWord {
  text: string;
  box: { x: number; y: number; w: number; h: number };
  confidence?: number;
}

export interface Recognition {
  /** Recognised text, with an empty line between paragraphs. Empty if the picture contains no text. */
  text: string;
  /** Syntax of `text`: plain lines, or Markdown with headings and tables. */
  format: 'plain' | 'markdown';
  words: RecognisedWord[];
  /** Confidence from 0 to 1. Absent if the engine does not report one. */
  confidence?: number;
}

/** Reads the text of pictures. Each kind of OCR engine has one driver. */
export interface Ocr {
  /**
   * Name of the engine and its model. If one engine could not read a picture, another one may be able to read
   * it.
   */
  readonly id: string;
  /** Largest picture that the engine accepts, in pixels (width times height). Absent if there is no limit. */
  readonly maxPixels?: number;
  /**
   * Reads a picture. `languages` contains language codes of the parse parameters, and an empty list lets the
   * engine decide. Rejects with Unreadable if this engine can never read the picture, and with Upstream for
   * other failures.
   */
  recognise(image: Picture, languages: readonly string[]): Promise<Recognition>;
}

/**
 * Thrown if the engine cannot read a picture or does not have its language. The page stays marked as unread.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
