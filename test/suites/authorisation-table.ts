import type { ClientOperationId } from '#src/api/compat/operations.ts';
import type { OpenAiOperationId } from '#src/api/openai/operations.ts';
import type { OperationId } from '#src/api/operations.ts';

/** Callers who act on resources of the default project P of organization O. */
export type Role =
  /** No credentials. */
  | 'nobody'
  /** An admin of another organization. */
  | 'stranger'
  | 'member'
  | 'admin'
  /** A key of an admin that is scoped to P. */
  | 'projectKey'
  /** A key of an admin that is scoped to another project of O. */
  | 'otherProjectKey'
  /** A key for O that an admin made for the member. */
  | 'keyForMember'
  /** A key that another organization made for the admin of O: it reaches nothing outside of that one. */
  | 'keyFromElsewhere'
  /** The admin, who names another organization of theirs in `organization_id`. */
  | 'askingElsewhere'
  /** The admin's session cookie, in a request from another site. */
  | 'cookieWithoutOrigin';

/**
 * Expected result: the status of a rejection, or a success. `done` is any success, `own` is a success that
 * shows data of O, and `elsewhere` is a success that shows none.
 */
export type Outcome = number | 'done' | 'own' | 'elsewhere';
type Row = Record<Role, Outcome>;

/** Reads a resource of a project by its id, in any project that the caller can access. */
const READ_ANYWHERE: Row = {
  nobody: 401,
  stranger: 404,
  member: 'done',
  admin: 'done',
  projectKey: 'done',
  otherProjectKey: 404,
  keyForMember: 'done',
  keyFromElsewhere: 404,
  askingElsewhere: 'done',
  cookieWithoutOrigin: 'done',
};
const CHANGE_ANYWHERE: Row = { ...READ_ANYWHERE, cookieWithoutOrigin: 403 };
/** Reads a resource, where the request may limit the organization. */
const READ: Row = { ...READ_ANYWHERE, askingElsewhere: 404 };
const CHANGE: Row = { ...READ, cookieWithoutOrigin: 403 };

/** Reads a conversation of the admin, which is private within the project. */
const OWN_SESSION: Row = { ...READ_ANYWHERE, member: 404, keyForMember: 404 };

const LIST: Row = {
  nobody: 401,
  stranger: 'elsewhere',
  member: 'own',
  admin: 'own',
  projectKey: 'own',
  otherProjectKey: 'elsewhere',
  keyForMember: 'own',
  keyFromElsewhere: 'elsewhere',
  askingElsewhere: 'elsewhere',
  cookieWithoutOrigin: 'own',
};
const CREATE: Row = { ...LIST, cookieWithoutOrigin: 403 };
/** Creates a job for a file of P. The request names no file where P is out of reach. */
const USE_FILE: Row = {
  ...CHANGE,
  stranger: 400,
  otherProjectKey: 400,
  keyFromElsewhere: 400,
  askingElsewhere: 400,
};
/** Concerns only the caller; the response names no project or organization. */
const OWN_BUSINESS: Row = {
  nobody: 401,
  stranger: 'done',
  member: 'done',
  admin: 'done',
  projectKey: 'done',
  otherProjectKey: 'done',
  keyForMember: 'done',
  keyFromElsewhere: 'done',
  askingElsewhere: 'done',
  cookieWithoutOrigin: 403,
};
const PUBLIC: Row = { ...OWN_BUSINESS, nobody: 'done', cookieWithoutOrigin: 'done' };

/**
 * Organizations are visible to keys of their projects, and can be changed only by admins with an
 * organization-wide key.
 */
const READ_ORGANIZATION: Row = { ...READ_ANYWHERE, otherProjectKey: 'done' };
const RUN_ORGANIZATION: Row = {
  ...READ_ORGANIZATION,
  member: 403,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
  cookieWithoutOrigin: 403,
};
const LIST_ORGANIZATIONS: Row = { ...LIST, otherProjectKey: 'own', askingElsewhere: 'own' };
/** Acts outside of O, which keys of one organization or project cannot do. */
const LEAVE_ORGANIZATION: Row = {
  ...OWN_BUSINESS,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
  keyFromElsewhere: 403,
};
const LIST_PROJECTS: Row = { ...LIST, otherProjectKey: 'own' };
const CREATE_PROJECT: Row = {
  ...CREATE,
  member: 403,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
};
/** Reads a project other than P. */
const READ_PROJECT: Row = { ...READ, projectKey: 404 };
/** Changes a project other than P, or an organization-wide key that the admin created. */
const RUN_BESIDES: Row = { ...READ_PROJECT, member: 403, keyForMember: 403, cookieWithoutOrigin: 403 };
/** Operations for the operator of the installation. None of these callers is the operator. */
const OPERATOR: Row = {
  nobody: 401,
  stranger: 403,
  member: 403,
  admin: 403,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
  keyFromElsewhere: 403,
  askingElsewhere: 403,
  cookieWithoutOrigin: 403,
};

/** Expected result of every operation for every caller. A missing operation fails to compile. */
export const AUTHORISATION = {
  getSession: LIST_PROJECTS,
  signIn: PUBLIC,
  signOut: { ...PUBLIC, cookieWithoutOrigin: 403 },
  createApiKey: OWN_BUSINESS,
  listApiKeys: LIST,
  revokeApiKey: RUN_BESIDES,
  createApiKeyBeta: OWN_BUSINESS,
  listApiKeysBeta: LIST,
  revokeApiKeyBeta: RUN_BESIDES,
  rotateSecrets: OPERATOR,
  getMetrics: OPERATOR,
  listDeadLetters: OPERATOR,
  sendDeadLetter: OPERATOR,
  checkInstallation: OPERATOR,
  getBackupOutline: OPERATOR,
  readBackupRows: OPERATOR,
  listBackupObjects: OPERATOR,
  readBackupObject: OPERATOR,
  beginRestore: OPERATOR,
  writeRestoredRows: OPERATOR,
  writeRestoredObject: OPERATOR,
  finishRestore: OPERATOR,
  createPresignedUpload: OWN_BUSINESS,
  uploadFile: CREATE,
  listFiles: LIST,
  uploadFileFromUrl: CREATE,
  syncFiles: OWN_BUSINESS,
  getFile: READ,
  deleteFile: CHANGE,
  getFileContentUrl: READ,
  listFilePages: READ,
  getFilePage: READ,
  listPageScreenshots: READ,
  getPageScreenshot: READ,
  createPageScreenshotUrl: CHANGE,
  listPageFigures: READ,
  listFiguresOfPage: READ,
  getPageFigure: READ,
  createPageFigureUrl: CHANGE,
  createFileV2: CREATE,
  listFilesV2: LIST,
  queryFilesV2: CREATE,
  getFileV2: READ,
  deleteFileV2: CHANGE,
  getFileContentUrlV2: READ,
  listDataSinks: LIST,
  createDataSink: CREATE,
  upsertDataSink: CREATE,
  getDataSink: READ_ANYWHERE,
  updateDataSink: CHANGE_ANYWHERE,
  deleteDataSink: CHANGE_ANYWHERE,
  validateDataSink: CHANGE_ANYWHERE,
  validateDataSource: CHANGE_ANYWHERE,
  listDataSources: LIST,
  createDataSource: CREATE,
  upsertDataSource: CREATE,
  getDataSource: READ_ANYWHERE,
  updateDataSource: CHANGE_ANYWHERE,
  deleteDataSource: CHANGE_ANYWHERE,
  listEmbeddingModelConfigs: LIST,
  createEmbeddingModelConfig: CREATE,
  upsertEmbeddingModelConfig: CREATE,
  getEmbeddingModelConfig: READ_ANYWHERE,
  updateEmbeddingModelConfig: CHANGE,
  deleteEmbeddingModelConfig: CHANGE,
  validateEmbeddingConnection: OWN_BUSINESS,
  validateDataSinkConnection: OWN_BUSINESS,
  validateDataSourceConnection: OWN_BUSINESS,
  listOrganizations: LIST_ORGANIZATIONS,
  createOrganization: LEAVE_ORGANIZATION,
  getDefaultOrganization: LIST_ORGANIZATIONS,
  getOrganization: READ_ORGANIZATION,
  renameOrganization: RUN_ORGANIZATION,
  deleteOrganization: { ...RUN_ORGANIZATION, admin: 409, askingElsewhere: 409 },
  listMembers: READ_ORGANIZATION,
  addMember: RUN_ORGANIZATION,
  changeMemberRole: RUN_ORGANIZATION,
  removeMember: RUN_ORGANIZATION,
  listProjects: LIST_PROJECTS,
  createProject: CREATE_PROJECT,
  upsertProject: CREATE_PROJECT,
  getProject: READ_PROJECT,
  renameProject: RUN_BESIDES,
  deleteProject: RUN_BESIDES,
  exportProject: { ...RUN_BESIDES, cookieWithoutOrigin: 'done' },
  exportUser: {
    ...RUN_ORGANIZATION,
    askingElsewhere: 404,
    cookieWithoutOrigin: 'done',
  },
  getModelSettings: READ_PROJECT,
  putModelSettings: RUN_BESIDES,
  pageOrganizations: LIST_ORGANIZATIONS,
  getOrganizationV2: READ_ORGANIZATION,
  pageProjects: LIST_PROJECTS,
  getProjectV2: READ_PROJECT,
  searchPipelines: LIST,
  createPipeline: CREATE,
  upsertPipeline: CREATE,
  getPipeline: READ_ANYWHERE,
  updatePipeline: CHANGE_ANYWHERE,
  deletePipeline: CHANGE_ANYWHERE,
  forceDeletePipeline: CHANGE_ANYWHERE,
  copyPipeline: CHANGE_ANYWHERE,
  listPipelineDataSources: READ_ANYWHERE,
  addPipelineDataSources: CHANGE_ANYWHERE,
  updatePipelineDataSource: CHANGE_ANYWHERE,
  removePipelineDataSource: CHANGE_ANYWHERE,
  getPipelineDataSourceStatus: READ_ANYWHERE,
  syncPipelineDataSource: CHANGE_ANYWHERE,
  addPipelineFiles: CHANGE_ANYWHERE,
  listPipelineFiles: READ_ANYWHERE,
  getPipelineFileStatus: READ_ANYWHERE,
  retryPipelineFile: CHANGE_ANYWHERE,
  removePipelineFile: CHANGE_ANYWHERE,
  updatePipelineFile: CHANGE_ANYWHERE,
  pagePipelineFiles: READ_ANYWHERE,
  pagePipelineFilesByCursor: READ_ANYWHERE,
  countPipelineFiles: READ_ANYWHERE,
  countPipelineFileFailures: READ_ANYWHERE,
  retryPipelineFiles: CHANGE_ANYWHERE,
  removePipelineFiles: CHANGE_ANYWHERE,
  listPipelineMetadataKeys: READ_ANYWHERE,
  uploadPipelineMetadata: CHANGE_ANYWHERE,
  deletePipelineMetadata: CHANGE_ANYWHERE,
  insertPipelineDocuments: CHANGE_ANYWHERE,
  upsertPipelineDocuments: CHANGE_ANYWHERE,
  listPipelineDocuments: READ_ANYWHERE,
  pagePipelineDocuments: READ_ANYWHERE,
  countPipelineDocuments: READ_ANYWHERE,
  getPipelineDocument: READ_ANYWHERE,
  deletePipelineDocument: CHANGE_ANYWHERE,
  getPipelineDocumentStatus: READ_ANYWHERE,
  syncPipelineDocument: CHANGE_ANYWHERE,
  listPipelineDocumentChunks: READ_ANYWHERE,
  listPipelineFileChunks: READ_ANYWHERE,
  getPipelineNode: READ_ANYWHERE,
  syncPipeline: CHANGE_ANYWHERE,
  cancelPipelineSync: CHANGE_ANYWHERE,
  getPipelineStatus: READ_ANYWHERE,
  listPipelineJobs: READ_ANYWHERE,
  getPipelineJob: READ_ANYWHERE,
  pagePipelineJobs: LIST,
  retrieve: CHANGE,
  listRetrievers: LIST,
  createRetriever: CREATE,
  upsertRetriever: CREATE,
  retrieveDirectly: CHANGE,
  getRetriever: READ_ANYWHERE,
  updateRetriever: CHANGE_ANYWHERE,
  deleteRetriever: CHANGE_ANYWHERE,
  retrieveWithRetriever: CHANGE_ANYWHERE,
  getPlaygroundSession: READ_ANYWHERE,
  deletePlaygroundSession: CHANGE_ANYWHERE,
  listChatSessions: READ_ANYWHERE,
  createChatSession: CHANGE_ANYWHERE,
  getChatSession: OWN_SESSION,
  renameChatSession: { ...OWN_SESSION, cookieWithoutOrigin: 403 },
  deleteChatSession: { ...OWN_SESSION, cookieWithoutOrigin: 403 },
  listChatMessages: OWN_SESSION,
  listRetrieverChatSessions: READ_ANYWHERE,
  createRetrieverChatSession: CHANGE_ANYWHERE,
  getRetrieverChatSession: OWN_SESSION,
  renameRetrieverChatSession: { ...OWN_SESSION, cookieWithoutOrigin: 403 },
  deleteRetrieverChatSession: { ...OWN_SESSION, cookieWithoutOrigin: 403 },
  listRetrieverChatMessages: OWN_SESSION,
  chatWithRetriever: CHANGE_ANYWHERE,
  resumeRetrieverChat: READ_ANYWHERE,
  stopRetrieverChat: CHANGE_ANYWHERE,
  chat: CHANGE_ANYWHERE,
  resumeChat: READ_ANYWHERE,
  stopChat: CHANGE_ANYWHERE,
  listPipelines: LIST,
  createParseJob: USE_FILE,
  listParseJobs: LIST,
  listParseVersions: { ...OWN_BUSINESS, cookieWithoutOrigin: 'done' },
  getParseJob: READ_ANYWHERE,
  downloadParseResult: READ_ANYWHERE,
  deleteParseJob: CHANGE_ANYWHERE,
  cancelParseJob: CHANGE_ANYWHERE,
  createExtractJob: USE_FILE,
  listExtractJobs: LIST,
  validateExtractSchema: OWN_BUSINESS,
  generateExtractSchema: USE_FILE,
  getExtractJob: READ_ANYWHERE,
  deleteExtractJob: CHANGE_ANYWHERE,
  cancelExtractJob: CHANGE_ANYWHERE,
  createClassifyJob: USE_FILE,
  listClassifyJobs: LIST,
  getClassifyJob: READ_ANYWHERE,
  cancelClassifyJob: CHANGE_ANYWHERE,
  createWebhookConfig: CREATE,
  listWebhookConfigs: LIST,
  getWebhookConfig: READ_ANYWHERE,
  updateWebhookConfig: CHANGE_ANYWHERE,
  deleteWebhookConfig: CHANGE_ANYWHERE,
  testWebhookConfig: CHANGE_ANYWHERE,
  listWebhookDeliveries: LIST,
  getWebhookDelivery: READ_ANYWHERE,
  replayWebhookDelivery: CHANGE_ANYWHERE,
  getCapabilities: { ...OWN_BUSINESS, cookieWithoutOrigin: 'done' },
  getDailyUsage: { ...OWN_BUSINESS, cookieWithoutOrigin: 'done' },
  getUsage: { ...OWN_BUSINESS, cookieWithoutOrigin: 'done' },
  saveConfiguration: OWN_BUSINESS,
  listConfigurations: LIST,
  getConfiguration: READ,
  updateConfiguration: CHANGE,
  deleteConfiguration: CHANGE,
  listModels: LIST,
  getModel: READ,
  createChatCompletion: CHANGE,
  createEmbeddings: CHANGE,

  // Pipelines, for existing clients.
  putPipelineDocuments: CHANGE_ANYWHERE,

  clientCreateParse: USE_FILE,
  clientUploadParse: CREATE,
  clientListParses: LIST,
  clientListParseVersions: { ...OWN_BUSINESS, cookieWithoutOrigin: 'done' },
  clientGetParse: READ_ANYWHERE,
  clientDeleteParse: CHANGE_ANYWHERE,
  clientCancelParse: CHANGE_ANYWHERE,
  clientSaveConfiguration: OWN_BUSINESS,
  clientListConfigurations: LIST,
  clientGetConfiguration: READ,
  clientUpdateConfiguration: CHANGE,
  legacyParsingUpload: OWN_BUSINESS,
  legacyParsingExtensions: { ...OWN_BUSINESS, cookieWithoutOrigin: 'done' },
  legacyParsingJob: READ_ANYWHERE,
  legacyParsingDetails: READ_ANYWHERE,
  legacyParsingParameters: READ_ANYWHERE,
  legacyParsingResult: READ_ANYWHERE,
  legacyParsingRawResult: READ_ANYWHERE,
  legacyParsingImage: READ_ANYWHERE,
  unversionedParsingUpload: OWN_BUSINESS,
  unversionedParsingExtensions: { ...OWN_BUSINESS, cookieWithoutOrigin: 'done' },
  unversionedParsingJob: READ_ANYWHERE,
  unversionedParsingDetails: READ_ANYWHERE,
  unversionedParsingParameters: READ_ANYWHERE,
  unversionedParsingResult: READ_ANYWHERE,
  unversionedParsingRawResult: READ_ANYWHERE,
  unversionedParsingImage: READ_ANYWHERE,

  validateExtractionAgentSchema: OWN_BUSINESS,
  generateExtractionAgentSchema: USE_FILE,
  createExtractionAgent: CREATE,
  listExtractionAgents: LIST,
  getDefaultExtractionAgent: LIST,
  getExtractionAgentByName: READ,
  getExtractionAgent: READ_ANYWHERE,
  updateExtractionAgent: CHANGE_ANYWHERE,
  deleteExtractionAgent: CHANGE_ANYWHERE,
  runExtraction: USE_FILE,
  startExtractionJob: CHANGE_ANYWHERE,
  startExtractionJobs: CHANGE_ANYWHERE,
  startExtractionJobOnUpload: CHANGE_ANYWHERE,
  listExtractionJobs: READ_ANYWHERE,
  getExtractionJob: READ_ANYWHERE,
  getExtractionJobResult: READ,
  listExtractionRuns: READ_ANYWHERE,
  getLatestExtractionRunFromUi: READ_ANYWHERE,
  getExtractionRunOfJob: READ,
  getExtractionRun: READ,
  deleteExtractionRun: CHANGE,
  createClassifierJob: USE_FILE,
  listClassifierJobs: LIST,
  getClassifierJob: READ,
  getClassifierJobResults: READ,
} satisfies Record<OperationId | ClientOperationId | OpenAiOperationId, Row>;
