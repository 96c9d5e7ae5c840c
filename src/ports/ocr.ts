/**
 * Encoded picture for OCR. `width` and `height` are in pixels. If `orientation` (an EXIF value from 2 to 8)
 * is set, they are the size after rotation.
 */
export interface Picture {
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
  orientation?: number;
}

/**
 * A word that OCR recognized. Its box is in pixels from the top left corner of the picture. Its confidence
 * ranges from 0 to 1.
 */
export interface RecognisedWord {
  text: string;
  box: { x: number; y: number; w: number; h: number };
  confidence?: number;
}

export interface Recognition {
  /** Recognized text, with an empty line between paragraphs. Empty if the picture contains no text. */
  text: string;
  /** Syntax of `text`: plain lines, or Markdown with headings and tables. */
  format: 'plain' | 'markdown';
  words: RecognisedWord[];
  /** Confidence of the whole recognition, from 0 to 1. Absent if the OCR engine does not report one. */
  confidence?: number;
  /** The words of `text` by paragraph and line. Absent if the OCR engine reports no lines. */
  paragraphs?: RecognisedWord[][][];
  /** Horizontal and vertical lines of the picture, such as borders of tables, in pixels. */
  rules?: RecognisedWord['box'][];
  /** Sentence for users that says what would improve the reading. Absent if there is nothing to say. */
  advice?: string;
  /** Number of letters and digits that the OCR engine left out, because their confidence was too low. */
  doubtful?: number;
  /** True if the time was too short for all ways of reading that might have found more text. */
  isCutShort?: boolean;
}

/** OCR engine that reads the text of pictures. Each type of engine has one driver. */
export interface Ocr {
  /**
   * Name of the OCR engine and its model. A picture that one engine could not read may be readable for an
   * engine with another id.
   */
  readonly id: string;
  /** Maximum size of a picture in pixels (width times height). Absent if the OCR engine has no limit. */
  readonly maxPixels?: number;
  /**
   * Reads the text of a picture. `languages` contains language codes from the parse parameters. If it is
   * empty, the OCR engine chooses. Rejects with `Unreadable` if retrying this picture cannot succeed, and
   * with `Upstream` for other failures.
   */
  recognise(image: Picture, languages: readonly string[]): Promise<Recognition>;
}

/**
 * Thrown if the OCR engine cannot read a picture or does not support its language. The page stays marked as
 * unread.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
