import type { Operation } from './operation/operation-types.ts';
import { adminOperations } from './v1/account/admin.ts';
import { apiKeyOperations } from './v1/account/api-keys.ts';
import { auditLogOperations } from './v1/account/audit-log.ts';
import { connectedApplicationOperations } from './v1/account/connected-applications.ts';
import { invitationOperations } from './v1/account/invitations.ts';
import { memberOperations } from './v1/account/members.ts';
import { modelSettingsOperations } from './v1/account/model-settings.ts';
import { organizationOperations } from './v1/account/organizations.ts';
import { ownSessionOperations } from './v1/account/own-sessions.ts';
import { projectOperations } from './v1/account/projects.ts';
import { sessionOperations } from './v1/account/session.ts';
import { usageOperations } from './v1/account/usage.ts';
import { agentDataOperations } from './v1/agent-data.ts';
import { backupOperations } from './v1/backup.ts';
import { capabilityOperations } from './v1/capabilities.ts';
import { chatOperations } from './v1/chat/chat.ts';
import { chatSessionOperations } from './v1/chat/chat-sessions.ts';
import { configurationOperations } from './v1/configurations.ts';
import { dataSinkOperations } from './v1/connections/data-sinks.ts';
import { dataSourceOperations } from './v1/connections/data-sources.ts';
import { embeddingModelConfigOperations } from './v1/connections/embedding-model-configs.ts';
import { validateIntegrationOperations } from './v1/connections/validate-integrations.ts';
import { webhookConfigOperations } from './v1/connections/webhook-configs.ts';
import { webhookDeliveryOperations } from './v1/connections/webhook-deliveries.ts';
import { directoryOperations } from './v1/directories/directories.ts';
import { directoryFileOperations } from './v1/directories/directory-files.ts';
import { accuracyRunOperations } from './v1/evaluations/accuracy-runs.ts';
import { questionSetOperations } from './v1/evaluations/question-sets.ts';
import { questionOperations } from './v1/evaluations/questions.ts';
import { evaluationRunOperations } from './v1/evaluations/runs.ts';
import { evaluationScheduleOperations } from './v1/evaluations/schedules.ts';
import { sweepOperations } from './v1/evaluations/sweeps.ts';
import { truthSetOperations } from './v1/evaluations/truth-sets.ts';
import { truthOperations } from './v1/evaluations/truths.ts';
import { exportOperations } from './v1/exports.ts';
import { betaFileOperations } from './v1/files/beta-files.ts';
import { filePageOperations } from './v1/files/file-pages.ts';
import { fileOperations } from './v1/files/files.ts';
import { pageImageOperations } from './v1/files/page-images.ts';
import { jobDataPointOperations } from './v1/job-data-points.ts';
import { pipelineChunkOperations } from './v1/pipelines/pipeline-chunks.ts';
import { pipelineDataSourceOperations } from './v1/pipelines/pipeline-data-sources.ts';
import { pipelineDocumentLinesOperation } from './v1/pipelines/pipeline-document-lines.ts';
import { pipelineDocumentOperations } from './v1/pipelines/pipeline-documents.ts';
import { pipelineFileListOperations } from './v1/pipelines/pipeline-file-lists.ts';
import { pipelineFileOperations } from './v1/pipelines/pipeline-files.ts';
import { pipelineFilesAtOnceOperations } from './v1/pipelines/pipeline-files-at-once.ts';
import { pipelineJobOperations } from './v1/pipelines/pipeline-jobs.ts';
import { pipelineMetadataOperations } from './v1/pipelines/pipeline-metadata.ts';
import { pipelineSyncOperations } from './v1/pipelines/pipeline-sync.ts';
import { pipelineOperations } from './v1/pipelines/pipelines.ts';
import { retrievalOperations } from './v1/pipelines/retrieval.ts';
import { retrieverOperations } from './v1/retrievers.ts';
import { traceOperations } from './v1/traces.ts';
import { batchOperations } from './v2/batches.ts';
import { classifyOperations } from './v2/classify.ts';
import { extractOperations } from './v2/extract.ts';
import { fileV2Operations } from './v2/files.ts';
import { organizationV2Operations } from './v2/organizations.ts';
import { parseOperations } from './v2/parse.ts';
import { pipelineV2Operations } from './v2/pipelines.ts';
import { projectV2Operations } from './v2/projects.ts';
import { retrievalPresetOperations } from './v2/retrieval-presets.ts';
import { classifyReviewOperations, extractReviewOperations } from './v2/reviews.ts';
import { sheetsOperations } from './v2/sheets.ts';
import { splitOperations } from './v2/split.ts';

/** All operations of the API, in the order of the OpenAPI description. */
export const OPERATIONS = [
  ...sessionOperations,
  ...ownSessionOperations,
  ...connectedApplicationOperations,
  ...capabilityOperations,
  ...apiKeyOperations,
  ...adminOperations,
  ...backupOperations,
  ...fileOperations,
  ...filePageOperations,
  ...pageImageOperations,
  ...betaFileOperations,
  ...fileV2Operations,
  ...dataSinkOperations,
  ...dataSourceOperations,
  ...embeddingModelConfigOperations,
  ...validateIntegrationOperations,
  ...organizationOperations,
  ...memberOperations,
  ...invitationOperations,
  ...auditLogOperations,
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
  pipelineDocumentLinesOperation,
  ...pipelineChunkOperations,
  ...pipelineSyncOperations,
  ...pipelineJobOperations,
  ...retrievalOperations,
  ...retrievalPresetOperations,
  ...retrieverOperations,
  ...chatSessionOperations,
  ...chatOperations,
  ...traceOperations,
  ...questionSetOperations,
  ...questionOperations,
  ...evaluationScheduleOperations,
  ...evaluationRunOperations,
  ...sweepOperations,
  ...truthSetOperations,
  ...truthOperations,
  ...accuracyRunOperations,
  ...parseOperations,
  // Before the jobs, because the path of a job would match the path of the examples too.
  ...extractReviewOperations,
  ...extractOperations,
  ...classifyOperations,
  ...splitOperations,
  ...sheetsOperations,
  ...classifyReviewOperations,
  ...batchOperations,
  ...directoryOperations,
  ...directoryFileOperations,
  ...agentDataOperations,
  ...webhookConfigOperations,
  ...webhookDeliveryOperations,
  ...usageOperations,
  ...jobDataPointOperations,
  ...configurationOperations,
  ...pipelineV2Operations,
] satisfies readonly Operation[];

/**
 * Id of any operation of the API. The compiler rejects a `Record<OperationId, …>` that lacks an operation.
 */
export type OperationId = (typeof OPERATIONS)[number]['id'];
