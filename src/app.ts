import { fromHono } from 'chanfana';
import { Hono } from 'hono';
import { mendDescription } from './api/description.ts';
import { reference } from './api/docs/reference.ts';
import { register } from './api/endpoint.ts';
import { health } from './api/health.ts';
import { type ApiEnv, requestContext } from './api/middleware.ts';
import { presignedRoutes } from './api/presigned.ts';
import { errorResponse } from './api/respond.ts';
import { adminOperations } from './api/v1/admin.ts';
import { apiKeyOperations } from './api/v1/api-keys.ts';
import { betaFileOperations } from './api/v1/beta-files.ts';
import { chatOperations } from './api/v1/chat.ts';
import { configurationOperations } from './api/v1/configurations.ts';
import { dataSinkOperations } from './api/v1/data-sinks.ts';
import { dataSourceOperations } from './api/v1/data-sources.ts';
import { embeddingModelConfigOperations } from './api/v1/embedding-model-configs.ts';
import { fileOperations } from './api/v1/files.ts';
import { memberOperations } from './api/v1/members.ts';
import { organizationOperations } from './api/v1/organizations.ts';
import { pageImageOperations } from './api/v1/page-images.ts';
import { pipelineDataSourceOperations } from './api/v1/pipeline-data-sources.ts';
import { pipelineDocumentOperations } from './api/v1/pipeline-documents.ts';
import { pipelineFileListOperations } from './api/v1/pipeline-file-lists.ts';
import { pipelineFileOperations } from './api/v1/pipeline-files.ts';
import { pipelineMetadataOperations } from './api/v1/pipeline-metadata.ts';
import { pipelineSyncOperations } from './api/v1/pipeline-sync.ts';
import { pipelineOperations } from './api/v1/pipelines.ts';
import { projectOperations } from './api/v1/projects.ts';
import { retrievalOperations } from './api/v1/retrieval.ts';
import { retrieverOperations } from './api/v1/retrievers.ts';
import { sessionOperations } from './api/v1/session.ts';
import { usageOperations } from './api/v1/usage.ts';
import { validateIntegrationOperations } from './api/v1/validate-integrations.ts';
import { webhookConfigOperations } from './api/v1/webhook-configs.ts';
import { webhookDeliveryOperations } from './api/v1/webhook-deliveries.ts';
import { classifyOperations } from './api/v2/classify.ts';
import { extractOperations } from './api/v2/extract.ts';
import { organizationV2Operations } from './api/v2/organizations.ts';
import { parseOperations } from './api/v2/parse.ts';
import { pipelineV2Operations } from './api/v2/pipelines.ts';
import { projectV2Operations } from './api/v2/projects.ts';
import { NotFound } from './errors.ts';

const DESCRIPTION = 'Takes documents in, answers retrieval queries and chat over them.';

export function createApp() {
  const app = new Hono<ApiEnv>();
  app.use(requestContext);
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => errorResponse(c, new NotFound(`${c.req.method} ${c.req.path}`)));
  app.get('/health', (c) => health(c.get('context'), c.env));
  app.route('/presigned', presignedRoutes());

  const router = fromHono(app, {
    docs_url: null,
    redoc_url: null,
    openapi_url: null,
    openapiVersion: '3.1',
    passthroughErrors: true,
    schema: { info: { title: 'Sluice', version: '0.1.0', description: DESCRIPTION } },
  });
  router.registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  router.registry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
  });
  register(router, [
    ...sessionOperations,
    ...apiKeyOperations,
    ...adminOperations,
    ...fileOperations,
    ...pageImageOperations,
    ...betaFileOperations,
    ...dataSinkOperations,
    ...dataSourceOperations,
    ...embeddingModelConfigOperations,
    ...validateIntegrationOperations,
    ...organizationOperations,
    ...memberOperations,
    ...projectOperations,
    ...organizationV2Operations,
    ...projectV2Operations,
    ...pipelineOperations,
    ...pipelineDataSourceOperations,
    ...pipelineFileOperations,
    ...pipelineFileListOperations,
    ...pipelineMetadataOperations,
    ...pipelineDocumentOperations,
    ...pipelineSyncOperations,
    ...retrievalOperations,
    ...retrieverOperations,
    ...chatOperations,
    ...parseOperations,
    ...extractOperations,
    ...classifyOperations,
    ...webhookConfigOperations,
    ...webhookDeliveryOperations,
    ...usageOperations,
    ...configurationOperations,
    ...pipelineV2Operations,
  ]);

  let description: object | undefined;
  app.get('/openapi.json', (c) => {
    // Made on first request: walking every schema is work that start-up must not pay.
    description ??= mendDescription(router.schema) as object;
    return c.json(description);
  });
  app.get('/docs', (c) => c.html(reference('/openapi.json')));
  app.get('/docs/*', (c) => c.env.ASSETS.fetch(c.req.raw));
  return app;
}
