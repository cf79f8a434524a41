FROM python:3.13-slim
RUN useradd --system --create-home --home-dir /home/loci loci
WORKDIR /srv/loci
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes --no-deps -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY migrations migrations
COPY static static
COPY templates templates
RUN pip install --no-cache-dir --no-deps --no-build-isolation . && install -d -o loci /data
USER loci
ENV LOCI_HOST=0.0.0.0 LOCI_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=3)"]
CMD ["loci", "serve"]
