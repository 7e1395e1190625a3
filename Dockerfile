# Two stages: the first has compilers (better-sqlite3 compiles where no prebuilt binary can be had), the second only what runs.
FROM node:24-bookworm AS build
# The optional evaluator of Jsonnet compiles with it.
RUN apt-get update && apt-get install --yes --no-install-recommends cmake && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/build-stamp.mjs ./scripts/
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
# git reads repositories on this machine (file: addresses), ssh those behind ssh; https needs only the certificates.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY LICENSE NOTICE ./
COPY config ./config
ENV NODE_ENV=production GITMOOR_DATA=/data PATH=/app/bin:$PATH
RUN install --directory /app/bin && ln -s ../dist/main.js /app/bin/gitmoor && chmod 0755 /app/dist/main.js
USER node
VOLUME /data
EXPOSE 4470
STOPSIGNAL SIGTERM
# The agent writes down where it listens.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "const { url } = JSON.parse(require('fs').readFileSync(process.env.GITMOOR_DATA + '/agent.json')); fetch(url + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The agent is process 1 and ends by itself on SIGTERM. Other names than localhost under which it is called go into `hosts` of a configuration file.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["agent", "--listen", "0.0.0.0:4470", "--log", "json"]
