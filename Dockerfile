# The relayer as one binary on a base without a shell. `docker build -t tonado .`, then
# `docker run -p 8090:8090 -v tonado:/data -e RELAYER_WALLET_MNEMONIC_FILE=/run/secrets/mnemonic ... tonado`.
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
ENTRYPOINT ["/usr/local/bin/tonado"]
CMD ["serve"]
