# The package as it is published, in an image with Node and nothing else. Use: docs/docker.md.
# Pinned by the digest that docker-library/repo-info states for the tag, with Node 24.18.1. Another one: docs/docker.md.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7
# On the platform of the builder: the package is the same for all.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY bin/build/package.json bin/build/
RUN npm ci --include=dev
COPY . .
RUN mkdir /package && npm pack --loglevel=error --pack-destination /package

FROM ${NODE_IMAGE}
RUN --mount=type=bind,from=build,source=/package,target=/package \
    npm install --global --offline --loglevel=error /package/*.tgz \
    && install --directory --owner=node --group=node --mode=700 /data
# Data, saved keys and the cache are in the volume: the rest of the container can be read-only.
ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/data/config XDG_CACHE_HOME=/data/cache
# As in src/daemon/control/process-settings.js.
ENV MALLOC_MMAP_THRESHOLD_=262144
USER node
WORKDIR /home/node
VOLUME /data
EXPOSE 8625
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=1s CMD stockroom daemon status --json || exit 1
ENTRYPOINT ["stockroom"]
# --insecure allows plain HTTP on 0.0.0.0, which is necessary to publish the port: publish it on 127.0.0.1, or put a TLS proxy in front.
CMD ["daemon", "start", "--foreground", "--host", "0.0.0.0", "--port", "8625", "--insecure"]
