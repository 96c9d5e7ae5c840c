/**
 * Keys of all objects in the bucket. Everything that a project owns is below the prefix of the project. Data
 * derived from the content of a file is stored under the hash of the content, so that equal files share it.
 */
export const keys = {
  /** Prefix of all objects that belong to a project. */
  project: (projectId: string) => `projects/${projectId}/`,
  /**
   * Uploaded bytes of a file. Each upload has its own key, so that readers never see a half-replaced file.
   */
  upload: (projectId: string, fileId: string, uploadId: string) =>
    `projects/${projectId}/files/${fileId}/${uploadId}`,
  /** Prefix of all uploads of one file. */
  uploads: (projectId: string, fileId: string) => `projects/${projectId}/files/${fileId}/`,
  /** Prefix of all parse results of a project. Each content has a folder below it. */
  parses: (projectId: string) => `projects/${projectId}/parsed/`,
  parsedFile: (projectId: string, contentHash: string) => `projects/${projectId}/parsed/${contentHash}/`,
  pageRange: (projectId: string, contentHash: string, configHash: string, from: number) =>
    `projects/${projectId}/parsed/${contentHash}/pages/${configHash}/${String(from).padStart(6, '0')}.json`,
  /** Summary of a complete parse: file type, pages and metadata. It is written once all page ranges exist. */
  parseSummary: (projectId: string, contentHash: string, configHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/pages/${configHash}/summary.json`,
  /** PDF of a parse whose parameters request one. */
  parsedPdf: (projectId: string, contentHash: string, configHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/pages/${configHash}/document.pdf`,
  /** Text that a model wrote for a page. The key contains a hash of the model and its instructions. */
  pageReading: (projectId: string, contentHash: string, readingHash: string, pageIndex: number) =>
    `projects/${projectId}/parsed/${contentHash}/readings/${readingHash}/${pageIndex}.json`,
  /**
   * Type and page count of a protected file. They may be shown without the password once somebody has opened
   * the file.
   */
  unlockedShape: (projectId: string, contentHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/shape.json`,
  /**
   * Prefix of the screenshots of a file's pages. It ends with a slash, because pages are listed by this
   * prefix.
   */
  screenshots: (projectId: string, contentHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/screenshots/`,
  screenshot: (projectId: string, contentHash: string, pageIndex: number) =>
    `projects/${projectId}/parsed/${contentHash}/screenshots/${pageIndex}`,
  /** Reduced screenshot of a page, by its requested width in pixels. */
  smallScreenshot: (projectId: string, contentHash: string, width: number, pageIndex: number) =>
    `projects/${projectId}/parsed/${contentHash}/small-screenshots/${width}/${pageIndex}`,
  figure: (projectId: string, contentHash: string, name: string) =>
    `projects/${projectId}/parsed/${contentHash}/figures/${encodeURIComponent(name)}`,
  /** Part of a page's screenshot, by its bounding box in points. */
  layoutImage: (
    projectId: string,
    contentHash: string,
    pageIndex: number,
    { x, y, w, h }: { x: number; y: number; w: number; h: number },
  ) =>
    `projects/${projectId}/parsed/${contentHash}/layout/${pageIndex}/${[x, y, w, h].map((side) => side.toFixed(1)).join('_')}`,
  pipeline: (projectId: string, pipelineId: string) => `projects/${projectId}/pipelines/${pipelineId}/`,
  /** List of the figures in a page range. */
  figureList: (projectId: string, contentHash: string, from: number) =>
    `projects/${projectId}/parsed/${contentHash}/figure-lists/${String(from).padStart(6, '0')}.json`,
  /**
   * Text of a document. Each write has its own key, so that no writer can delete the text which the row of
   * another writer refers to.
   */
  documentText: (projectId: string, pipelineId: string, textId: string) =>
    `projects/${projectId}/pipelines/${pipelineId}/documents/${textId}`,
  jobs: (projectId: string) => `projects/${projectId}/jobs/`,
  jobResult: (projectId: string, jobId: string) => `projects/${projectId}/jobs/${jobId}/result.json`,
  /** Prefix of the objects of all projects. */
  projects: 'projects/',
  /** Prefix of the objects that a restore of a backup needs until it has ended. */
  restores: 'restores/',
  restore: (restoreId: string) => `restores/${restoreId}/`,
  restoreOrder: (restoreId: string) => `restores/${restoreId}/order.json`,
  restorePieces: (restoreId: string) => `restores/${restoreId}/pieces/`,
  /** Part of an object that is too large for one request. */
  restorePiece: (restoreId: string, contentHash: string, piece: number) =>
    `restores/${restoreId}/pieces/${contentHash}/${piece}`,
};
