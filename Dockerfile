# The relayer as one binary on a base without a shell. `docker build -t tonado .`; compose.yaml runs it with its servers.
FROM denoland/deno:2.9.6 AS build
WORKDIR /src
COPY . .
RUN deno install --frozen && deno task compile --output /out/tonado && install -d -o 65532 -g 65532 /out/data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /out/tonado /usr/local/bin/tonado
COPY --from=build --chown=65532:65532 /out/data /data
ENV RELAYER_HOST=0.0.0.0 \
    RELAYER_DATA_DIR=/data
VOLUME /data
EXPOSE 8090
USER 65532:65532
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["/usr/local/bin/tonado", "status", "--live", "--quiet"]
ENTRYPOINT ["/usr/local/bin/tonado"]
CMD ["serve"]
