/**
 * First bytes of a file, by which a format is recognized. A string stands for its ASCII characters, and a
 * number for one byte. A list matches any one of its bytes, and null matches any byte.
 */
export type Signature = readonly (string | number | readonly number[] | null)[];

/** Properties that distinguish a document format that is stored as a zip container, such as DOCX. */
export interface ZipContent {
  /** Matches the content types that an Office Open XML package lists in its file `[Content_Types].xml`. */
  contentTypes?: RegExp;
  /** Path of a file inside the zip container that occurs only in this format. */
  member?: string;
  /**
   * Media types of the format, as named in the zip container's file `mimetype` or in the manifest of an
   * OpenDocument package.
   */
  mediaTypes?: readonly string[];
}

/**
 * Tests that recognize a text format by its content. `extension` is the file name extension, in lower case
 * and without the dot.
 */
export interface TextContent {
  /**
   * Returns true if the text certainly has this format. If a format defines this test, the file extension
   * alone never selects the format.
   */
  isCertain?(text: string, extension: string): boolean;
  /**
   * Test for a probable format. It is used if neither a certain test nor the file extension identified the
   * format.
   */
  guess?: {
    matches(text: string): boolean;
    /** Rank of the format if the guesses of several formats match. The highest rank wins. */
    strength: number;
  };
}

/** Beginning of a file that matches no known signature. */
export interface FileStart {
  /** First 1,024 bytes of the file as a string. Each character has the value of one byte as its code. */
  characters: string;
  /** True if the bytes are text in some character set. */
  isText: boolean;
}

/**
 * Properties by which the content of a file is recognized. Content takes precedence over the file name, which
 * only distinguishes between text formats.
 */
export interface FileContent {
  /** Byte sequences with which files of the format begin. One of them must match. */
  signatures?: readonly Signature[];
  zip?: ZipContent;
  /** Names of streams in an OLE2 container, such as "WordDocument". One of them must exist in the file. */
  oleStreams?: readonly string[];
  /** Test of the file's beginning. It is used if no signature or container identified the format. */
  matches?(start: FileStart): boolean;
  text?: TextContent;
}

/** Description of a file format for format detection, API responses and the console. */
export interface FileFormat<Kind extends string = string> {
  kind: Kind;
  title: string;
  extensions: readonly string[];
  /** Media types of the format. The first one is the officially registered type. */
  mediaTypes: readonly string[];
  content: FileContent;
  /**
   * Whether the whole file is decoded and parsed as one text. If so, the parsing time grows with the file
   * size.
   */
  isParsedAsText?: boolean;
}

/**
 * Returns the definition unchanged, but typed with its literal `kind`. The registry derives the type
 * `FileKind` from these literals.
 */
export const defineFormat = <const Kind extends string>(format: FileFormat<Kind>): FileFormat<Kind> => format;
