/**
 * Where things are in the bucket. All a project owns is under its own prefix; what follows from a file's
 * bytes is under their hash, so equal files share it.
 */
export const keys = {
  /** Of everything that a project owns. */
  project: (projectId: string) => `projects/${projectId}/`,
  /** The bytes as they were uploaded. Each upload has its own key: readers never see a half-replaced file. */
  upload: (projectId: string, fileId: string, uploadId: string) =>
    `projects/${projectId}/files/${fileId}/${uploadId}`,
  /** All uploads of one file. */
  uploads: (projectId: string, fileId: string) => `projects/${projectId}/files/${fileId}/`,
  /** What was made of all contents; each has a folder here. */
  parses: (projectId: string) => `projects/${projectId}/parsed/`,
  parsedFile: (projectId: string, contentHash: string) => `projects/${projectId}/parsed/${contentHash}/`,
  pageRange: (projectId: string, contentHash: string, configHash: string, from: number) =>
    `projects/${projectId}/parsed/${contentHash}/pages/${configHash}/${String(from).padStart(6, '0')}.json`,
  /** What a whole parse found: kind, pages, metadata. There once every range is. */
  parseSummary: (projectId: string, contentHash: string, configHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/pages/${configHash}/summary.json`,
  /** The PDF of a parse whose parameters ask for one. */
  parsedPdf: (projectId: string, contentHash: string, configHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/pages/${configHash}/document.pdf`,
  /** What a model wrote of a page, by how it was asked. */
  pageReading: (projectId: string, contentHash: string, readingHash: string, pageIndex: number) =>
    `projects/${projectId}/parsed/${contentHash}/readings/${readingHash}/${pageIndex}.json`,
  /** Kind and pages of a protected file: who has no password may know them once somebody opened it. */
  unlockedShape: (projectId: string, contentHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/shape.json`,
  /** Ends in a slash: pages are listed by it. */
  screenshots: (projectId: string, contentHash: string) =>
    `projects/${projectId}/parsed/${contentHash}/screenshots/`,
  screenshot: (projectId: string, contentHash: string, pageIndex: number) =>
    `projects/${projectId}/parsed/${contentHash}/screenshots/${pageIndex}`,
  /** A smaller picture of a page, by the width that it was asked for in pixels. */
  smallScreenshot: (projectId: string, contentHash: string, width: number, pageIndex: number) =>
    `projects/${projectId}/parsed/${contentHash}/small-screenshots/${width}/${pageIndex}`,
  figure: (projectId: string, contentHash: string, name: string) =>
    `projects/${projectId}/parsed/${contentHash}/figures/${encodeURIComponent(name)}`,
  /** A part of a page's picture, by its box in points. */
  layoutImage: (
    projectId: string,
    contentHash: string,
    pageIndex: number,
    { x, y, w, h }: { x: number; y: number; w: number; h: number },
  ) =>
    `projects/${projectId}/parsed/${contentHash}/layout/${pageIndex}/${[x, y, w, h].map((side) => side.toFixed(1)).join('_')}`,
  pipeline: (projectId: string, pipelineId: string) => `projects/${projectId}/pipelines/${pipelineId}/`,
  /** What figures a range of pages shows. */
  figureList: (projectId: string, contentHash: string, from: number) =>
    `projects/${projectId}/parsed/${contentHash}/figure-lists/${String(from).padStart(6, '0')}.json`,
  /** Each write has its own key: no writer can take away what another one's row speaks of. */
  documentText: (projectId: string, pipelineId: string, textId: string) =>
    `projects/${projectId}/pipelines/${pipelineId}/documents/${textId}`,
  jobs: (projectId: string) => `projects/${projectId}/jobs/`,
  jobResult: (projectId: string, jobId: string) => `projects/${projectId}/jobs/${jobId}/result.json`,
  /** Of everything that projects own. */
  projects: 'projects/',
  /** Of everything that restores need until they have ended. */
  restores: 'restores/',
  restore: (restoreId: string) => `restores/${restoreId}/`,
  restoreOrder: (restoreId: string) => `restores/${restoreId}/order.json`,
  restorePieces: (restoreId: string) => `restores/${restoreId}/pieces/`,
  /** A piece of an object that is too large for one request. */
  restorePiece: (restoreId: string, contentHash: string, piece: number) =>
    `restores/${restoreId}/pieces/${contentHash}/${piece}`,
};
