/**
 * First bytes of a file. A string stands for its ASCII characters, a number for one byte, a list for any one
 * of its bytes, and null for any byte.
 */
export type Signature = readonly (string | number | readonly number[] | null)[];

/** Properties by which a zip container is recognized as a document. */
export interface ZipContent {
  /** Pattern for the content types of an Office Open XML package, in its file `[Content_Types].xml`. */
  contentTypes?: RegExp;
  /** Path of a file inside the container that occurs only in this format. */
  member?: string;
  /** Media types in the container's file `mimetype`, or in the manifest of an OpenDocument package. */
  mediaTypes?: readonly string[];
}

/**
 * Tests that recognize the format of a text. `extension` is the extension of the file name, in lower case and
 * without the dot.
 */
export interface TextContent {
  /**
   * Returns true if the text certainly has this format. A format with this test is never chosen by the file
   * extension alone.
   */
  isCertain?(text: string, extension: string): boolean;
  /** Test for a probable format. Used if no certain test and no file extension decided. */
  guess?: {
    matches(text: string): boolean;
    /** Rank among formats whose guess matches. The highest rank wins. */
    strength: number;
  };
}

/** Beginning of a file without a known signature. */
export interface FileStart {
  /** First 1,024 bytes of the file, one character per byte with the byte's value as its code. */
  characters: string;
  /** True if the bytes are text in some character set. */
  isText: boolean;
}

/**
 * Properties by which the content of a file is recognized. Content takes precedence; file names only decide
 * between texts.
 */
export interface FileContent {
  /** Signatures of the format. The file begins with one of them. */
  signatures?: readonly Signature[];
  zip?: ZipContent;
  /** Names of streams in an OLE2 container. The container has at least one of them. */
  oleStreams?: readonly string[];
  /** Test that is used if no signature and no container has decided. */
  matches?(start: FileStart): boolean;
  text?: TextContent;
}

/** Description of a file format, for users, API clients and format detection. */
export interface FileFormat<Kind extends string = string> {
  kind: Kind;
  title: string;
  /** Usual file name extensions, in lower case and without the dot. */
  extensions: readonly string[];
  /** Media types of the format. The first one is the registered type. */
  mediaTypes: readonly string[];
  content: FileContent;
  /**
   * True if the whole file is decoded and parsed as one text. The parsing time then grows with the file size.
   */
  isParsedAsText?: boolean;
}

/**
 * Returns the definition unchanged. Its type contains the literal `kind`, from which the registry derives
 * `FileKind`.
 */
export const defineFormat = <const Kind extends string>(format: FileFormat<Kind>): FileFormat<Kind> => format;
