# Two stages: the first one builds the Workers and installs the runtime, the second one has only what the server needs.
# docs/how-to/run-in-production.md tells how to run the image.

FROM node:22.23.3-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Without scripts: the packages that need theirs are not used for building.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/assemble.ts /app
WORKDIR /app
# The base image has Node already, so the package that brings it is removed.
RUN npm ci --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/node node_modules/.bin/node

FROM node:22.23.3-bookworm-slim
LABEL org.opencontainers.image.title="Sluice" \
      org.opencontainers.image.description="Document ingestion and retrieval on one machine" \
      org.opencontainers.image.licenses="MIT"
# Certificates of public authorities, for requests to models and data sources.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data \
 && chown node:node /data
WORKDIR /app
COPY --from=build /app ./
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8787 \
    STATE_DIR=/data \
    SECRETS_FILE=/data/secrets.env \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=131072
USER node
# Everything that is kept. The server writes here and to /tmp only.
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "server/health-check.ts"]
CMD ["node", "server/start.ts"]
