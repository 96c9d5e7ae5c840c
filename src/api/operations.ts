import type { Operation } from './operation-types.ts';
import { adminOperations } from './v1/admin.ts';
import { apiKeyOperations } from './v1/api-keys.ts';
import { backupOperations } from './v1/backup.ts';
import { betaFileOperations } from './v1/beta-files.ts';
import { capabilityOperations } from './v1/capabilities.ts';
import { chatOperations } from './v1/chat.ts';
import { chatSessionOperations } from './v1/chat-sessions.ts';
import { configurationOperations } from './v1/configurations.ts';
import { dataSinkOperations } from './v1/data-sinks.ts';
import { dataSourceOperations } from './v1/data-sources.ts';
import { embeddingModelConfigOperations } from './v1/embedding-model-configs.ts';
import { exportOperations } from './v1/exports.ts';
import { filePageOperations } from './v1/file-pages.ts';
import { fileOperations } from './v1/files.ts';
import { memberOperations } from './v1/members.ts';
import { modelSettingsOperations } from './v1/model-settings.ts';
import { organizationOperations } from './v1/organizations.ts';
import { pageImageOperations } from './v1/page-images.ts';
import { pipelineChunkOperations } from './v1/pipeline-chunks.ts';
import { pipelineDataSourceOperations } from './v1/pipeline-data-sources.ts';
import { pipelineDocumentOperations } from './v1/pipeline-documents.ts';
import { pipelineFileListOperations } from './v1/pipeline-file-lists.ts';
import { pipelineFileOperations } from './v1/pipeline-files.ts';
import { pipelineFilesAtOnceOperations } from './v1/pipeline-files-at-once.ts';
import { pipelineJobOperations } from './v1/pipeline-jobs.ts';
import { pipelineMetadataOperations } from './v1/pipeline-metadata.ts';
import { pipelineSyncOperations } from './v1/pipeline-sync.ts';
import { pipelineOperations } from './v1/pipelines.ts';
import { projectOperations } from './v1/projects.ts';
import { retrievalOperations } from './v1/retrieval.ts';
import { retrieverOperations } from './v1/retrievers.ts';
import { sessionOperations } from './v1/session.ts';
import { usageOperations } from './v1/usage.ts';
import { validateIntegrationOperations } from './v1/validate-integrations.ts';
import { webhookConfigOperations } from './v1/webhook-configs.ts';
import { webhookDeliveryOperations } from './v1/webhook-deliveries.ts';
import { classifyOperations } from './v2/classify.ts';
import { extractOperations } from './v2/extract.ts';
import { organizationV2Operations } from './v2/organizations.ts';
import { parseOperations } from './v2/parse.ts';
import { pipelineV2Operations } from './v2/pipelines.ts';
import { projectV2Operations } from './v2/projects.ts';

/** Every operation of the API, in the order of its description. */
export const OPERATIONS = [
  ...sessionOperations,
  ...capabilityOperations,
  ...apiKeyOperations,
  ...adminOperations,
  ...backupOperations,
  ...fileOperations,
  ...filePageOperations,
  ...pageImageOperations,
  ...betaFileOperations,
  ...dataSinkOperations,
  ...dataSourceOperations,
  ...embeddingModelConfigOperations,
  ...validateIntegrationOperations,
  ...organizationOperations,
  ...memberOperations,
  ...projectOperations,
  ...exportOperations,
  ...modelSettingsOperations,
  ...organizationV2Operations,
  ...projectV2Operations,
  ...pipelineOperations,
  ...pipelineDataSourceOperations,
  ...pipelineFileOperations,
  ...pipelineFileListOperations,
  ...pipelineFilesAtOnceOperations,
  ...pipelineMetadataOperations,
  ...pipelineDocumentOperations,
  ...pipelineChunkOperations,
  ...pipelineSyncOperations,
  ...pipelineJobOperations,
  ...retrievalOperations,
  ...retrieverOperations,
  ...chatSessionOperations,
  ...chatOperations,
  ...parseOperations,
  ...extractOperations,
  ...classifyOperations,
  ...webhookConfigOperations,
  ...webhookDeliveryOperations,
  ...usageOperations,
  ...configurationOperations,
  ...pipelineV2Operations,
] satisfies readonly Operation[];

/** The name of an operation: a table over all of them is `Record<OperationId, …>`, and complete. */
export type OperationId = (typeof OPERATIONS)[number]['id'];
