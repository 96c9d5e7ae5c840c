declare module 'unpdf' {
  interface TextItem {
    str?: string;
    width?: number;
    height?: number;
    transform?: number[];
    hasEOL?: boolean;
  }
  interface PdfJsDocument {
    numPages: number;
    getPage(number: number): Promise<{
      getTextContent(): Promise<{ items: TextItem[] }>;
      cleanup(): void;
    }>;
    loadingTask: { destroy(): Promise<void> };
  }
  export function getDocumentProxy(bytes: Uint8Array): Promise<PdfJsDocument>;
}
declare module '*/tesseract-core-simd-lstm.js' {
  const start: import('../../../ocr/engine.ts').StartTesseract;
  export default start;
}
