# Two stages: the first has compilers (better-sqlite3 compiles where no prebuilt binary can be had), the second only what runs.
FROM node:24-bookworm AS build
# The evaluator of Jsonnet compiles with it.
RUN apt-get update && apt-get install --yes --no-install-recommends cmake && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY jsonnet ./jsonnet
COPY scripts/install-jsonnet.mjs ./scripts/
RUN node scripts/install-jsonnet.mjs
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/build-web.mjs scripts/build-stamp.mjs scripts/bundled-licenses.mjs ./scripts/
COPY src ./src
COPY web ./web
RUN npm run build && npm prune --omit=dev && node scripts/install-jsonnet.mjs

FROM node:24-bookworm-slim
# git reads repositories on this machine (file: addresses), ssh those behind ssh; https needs only the certificates.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /data \
  && ln -s /app/dist/main.js /usr/local/bin/gitmoor
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/jsonnet ./jsonnet
COPY --from=build /app/dist ./dist
COPY LICENSE NOTICE ./
COPY config ./config
ENV NODE_ENV=production GITMOOR_DATA=/data
# The user node, by number: Kubernetes can check that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 4470
STOPSIGNAL SIGTERM
# The agent writes down where it listens.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "const { url } = JSON.parse(require('fs').readFileSync(process.env.GITMOOR_DATA + '/agent.json')); fetch(url + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The agent is process 1 and ends by itself on SIGTERM. The image contains no configuration: a forgotten mount is an
# error, and does not suspend the stacks that the file declares.
ENTRYPOINT ["gitmoor"]
CMD ["agent", "--config", "/etc/gitmoor/gitmoor.yaml", "--listen", "0.0.0.0:4470", "--log", "json"]
