# The released binary, byte for byte, on a base without a shell. dist/ holds it and its SHA256SUMS: as they were downloaded,
# or as `deno task compile` makes them. `docker build -t tonado .`; compose.yaml runs it with its servers.
FROM debian:12.14-slim AS release
WORKDIR /release
COPY dist/tonado dist/SHA256SUMS ./
RUN sha256sum --check --strict SHA256SUMS && chmod 755 tonado && install -d -o 65532 -g 65532 data

# Distroless has no version tags: the digest is the version.
FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
COPY --from=release /release/tonado /usr/local/bin/tonado
COPY --from=release --chown=65532:65532 /release/data /data
ENV RELAYER_HOST=0.0.0.0 \
    RELAYER_DATA_DIR=/data
VOLUME /data
EXPOSE 8090
USER 65532:65532
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["/usr/local/bin/tonado", "status", "--live", "--quiet"]
ENTRYPOINT ["/usr/local/bin/tonado"]
CMD ["serve"]
